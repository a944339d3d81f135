import { dirname, join } from 'node:path'
import { z } from 'zod'
import { ConsentRule, type RuleProblem } from '../../../shared/domain/session/consent-rule.ts'
import { ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { parseJson } from '../../../shared/text/json.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import type { Disk } from '../../platform/files/disk.ts'
import type { FileWatcher } from '../../platform/files/file-watcher.ts'

/** Path of a project's own rules, below its folder. */
export const projectRulesPath = '.tsugi/rules.json'

export type ProjectRules = { rules: ConsentRule[]; problems: RuleProblem[] }

const ProjectRulesFile = z.object({
  rules: z
    .array(ConsentRule.pick({ effect: true, tool: true, pattern: true }).partial({ tool: true }))
    .max(1000),
})

/**
 * Reads `{rules: [{effect, tool?, pattern}]}`. A file of another form gives `unreadableRules`, with its first invalid
 * place, such as `rules[0].effect`.
 */
export function readProjectRules(text: string): ProjectRules {
  const json = parseJson(text)
  if (json === undefined) return unreadableRules('no-json')
  const parsed = ProjectRulesFile.safeParse(json)
  if (!parsed.success)
    return unreadableRules('no-rules', z.core.toDotPath(parsed.error.issues[0]?.path ?? []))
  const rules: ConsentRule[] = []
  const problems: RuleProblem[] = []
  for (const [index, { effect, tool = null, pattern }] of parsed.data.rules.entries()) {
    if (effect === 'allow') problems.push({ kind: 'allow-ignored', pattern })
    else rules.push({ ruleId: `project-${index}`, effect, tool, pattern, scope: 'project' })
  }
  return { rules, problems }
}

/** Returns the rules for a file that cannot be read: nothing but plain reading passes without a question. */
export function unreadableRules(
  reason: Extract<RuleProblem, { kind: 'unreadable' }>['reason'],
  detail = '',
): ProjectRules {
  const rules = ToolName.options
    .filter((tool) => ['write', 'run', 'web', 'service'].includes(toolTraits[tool].access))
    .map(
      (tool): ConsentRule => ({
        ruleId: `project-${tool}`,
        effect: 'ask',
        tool,
        pattern: toolTraits[tool].access === 'write' ? '**' : '*',
        scope: 'project',
      }),
    )
  return { rules, problems: [{ kind: 'unreadable', reason, detail }] }
}

export type RulesWatchDeps = { disk: Disk; watcher: Pick<FileWatcher, 'watchFile' | 'watchFolder'> }

/** Yields now, and whenever the file of a project's rules may have changed, until the signal. */
export async function* projectRulesChanges(
  { disk, watcher }: RulesWatchDeps,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  const file = join(root, projectRulesPath)
  const heard = createBroadcast<void>()
  const next = heard.subscribe(signal)
  const stopFolder = watcher.watchFolder(root, () => heard.send())
  let stopFile: (() => void) | undefined
  try {
    while (!signal.aborted) {
      // Its folder may have gone and come again: a watch on the old one would hear nothing.
      stopFile?.()
      const isThere = (await disk.stat(dirname(file)))?.isDirectory() ?? false
      stopFile = isThere ? watcher.watchFile(file, () => heard.send()) : undefined
      yield
      if ((await next.next()).done === true) return
    }
  } finally {
    stopFolder()
    stopFile?.()
    await next.return()
  }
}

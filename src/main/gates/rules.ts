import type { ConsentRule } from '../../shared/domain/consent-rule.ts'
import type { ToolName } from '../../shared/domain/tool-name.ts'
import { isAllowedBy, isNamedBy } from './command-pattern.ts'
import { type GlobReach, pathGlob } from './path-glob.ts'
import type { CommandWords, LayeredCommand } from './wrapped-command.ts'

/**
 * What rules are asked about.
 *
 * Shape: `paths` as given and as they really are. `commands` are all that a line may run, nested ones
 * included; `toAllow` those that need leave, null where nobody can be sure what the line does.
 */
export type RuleSubject =
  | { kind: 'files'; tool: ToolName; paths: readonly string[] }
  | {
      kind: 'command'
      paths: readonly string[]
      commands: readonly CommandWords[]
      toAllow: readonly LayeredCommand[] | null
      isReadOnly: boolean
    }

const readTools: ReadonlySet<ToolName> = new Set<ToolName>(['read_file', 'list_directory', 'glob', 'grep'])

/** The first rule of this effect that names any part of it. */
export function refusingRule(
  effect: 'deny' | 'ask',
  subject: RuleSubject,
  rules: readonly ConsentRule[],
): ConsentRule | undefined {
  return rules.find((rule) => rule.effect === effect && isRefusedBy(rule, subject))
}

/** The rules that together allow all of it, or null. */
export function allowingRules(subject: RuleSubject, rules: readonly ConsentRule[]): ConsentRule[] | null {
  const allowing = rules.filter(({ effect }) => effect === 'allow')
  const found =
    subject.kind === 'files'
      ? subject.paths.map((path) =>
          allowing.find(({ tool, pattern }) => isFor(tool, subject.tool) && isPath(pattern, path, 'exact')),
        )
      : (subject.toAllow ?? []).map((layers) =>
          allowing.find(
            ({ tool, pattern }) =>
              isFor(tool, 'run_command') && layers.some((words) => isAllowedBy(pattern, words)),
          ),
        )
  const rulesFound = found.filter((rule) => rule !== undefined)
  return found.length > 0 && rulesFound.length === found.length ? rulesFound : null
}

/** True where a rule keeps something from being read, perhaps beneath a folder that is read as a whole. */
export function hasReadRules(rules: readonly ConsentRule[]): boolean {
  return rules.some(({ effect, tool }) => effect !== 'allow' && isForReading(tool))
}

/** True for a path that no deny or ask rule keeps from being read. */
export function isFreeToRead(path: string, rules: readonly ConsentRule[]): boolean {
  return rules.every(
    ({ effect, tool, pattern }) =>
      effect === 'allow' || !isForReading(tool) || !isPath(pattern, path, 'wide'),
  )
}

function isRefusedBy({ tool, pattern }: ConsentRule, subject: RuleSubject): boolean {
  if (subject.kind === 'files') {
    return isFor(tool, subject.tool) && subject.paths.some((path) => isPath(pattern, path, 'wide'))
  }
  const { commands, paths, isReadOnly } = subject
  if (isFor(tool, 'run_command') && commands.some((words) => isNamedBy(pattern, words))) return true
  // A file that the tools must not touch is not for commands either.
  const isAboutPaths = tool !== 'run_command' && (isForReading(tool) || !isReadOnly)
  return isAboutPaths && paths.some((path) => isPath(pattern, path, 'wide'))
}

function isFor(tool: ToolName | null, wanted: ToolName): boolean {
  return tool === null || tool === wanted
}

function isForReading(tool: ToolName | null): boolean {
  return tool === null || readTools.has(tool)
}

function isPath(pattern: string, path: string, reach: GlobReach): boolean {
  return pathGlob(pattern, reach)(path)
}

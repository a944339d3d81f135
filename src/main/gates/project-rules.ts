import { z } from 'zod'
import { ConsentRule } from '../../shared/domain/consent-rule.ts'

/** Where a project keeps its own rules, below its folder. */
export const projectRulesPath = '.tsugi/rules.json'

/** What is wrong with a project's rules: they can only tighten. */
export type ProjectRuleProblem =
  | { kind: 'allow-ignored'; pattern: string }
  | { kind: 'unreadable'; reason: string }

export type ProjectRules = { rules: ConsentRule[]; problems: ProjectRuleProblem[] }

const ProjectRulesFile = z.object({
  rules: z
    .array(ConsentRule.pick({ effect: true, tool: true, pattern: true }).partial({ tool: true }))
    .max(1000),
})

/** Reads `{rules: [{effect, tool?, pattern}]}`. From a file that nobody understands, everything is asked about. */
export function readProjectRules(text: string): ProjectRules {
  const parsed = ProjectRulesFile.safeParse(jsonOf(text))
  if (!parsed.success) return unreadableRules(z.prettifyError(parsed.error))
  const rules: ConsentRule[] = []
  const problems: ProjectRuleProblem[] = []
  for (const [index, { effect, tool = null, pattern }] of parsed.data.rules.entries()) {
    if (effect === 'allow') problems.push({ kind: 'allow-ignored', pattern })
    else rules.push({ ruleId: `project-${index}`, effect, tool, pattern, scope: 'project' })
  }
  return { rules, problems }
}

/** Rules that somebody wanted and that cannot be read: nothing but plain reading passes without a question. */
export function unreadableRules(reason: string): ProjectRules {
  const rules = (['edit', 'write_file', 'delete_file', 'move_file', 'run_command'] as const).map(
    (tool): ConsentRule => ({
      ruleId: `project-${tool}`,
      effect: 'ask',
      tool,
      pattern: tool === 'run_command' ? '*' : '**',
      scope: 'project',
    }),
  )
  return { rules, problems: [{ kind: 'unreadable', reason }] }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

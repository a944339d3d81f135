import { z } from 'zod'
import { ToolName } from './tool-name.ts'

/**
 * What is let through, asked about or forbidden in a folder.
 *
 * Shape: `tool` null: every tool. `pattern`: of a path (glob, relative to the folder) for file tools; of one
 * simple command for `run_command`, words with `*` at the end (`npm test`, `git log *`). `scope`: `session`
 * lives as long as the session; `folder` in the app's data; `project` comes from the project's own
 * `.tsugi/rules.json`, which can only tighten. `fingerprint`: of the tool of an added server as the user allowed it
 * (`ServerTools.offered`); a rule that allows such a tool without one, from an earlier version, allows nothing.
 * Source: `docs/decisions/sessions.md`, Consent.
 */
export const ConsentRule = z.object({
  ruleId: z.string(),
  effect: z.enum(['allow', 'ask', 'deny']),
  tool: ToolName.nullable(),
  pattern: z.string().min(1).max(1000),
  scope: z.enum(['session', 'folder', 'project']),
  fingerprint: z.string().optional(),
})
export type ConsentRule = z.infer<typeof ConsentRule>

/** A rule as somebody makes it. */
export type NewRule = Omit<ConsentRule, 'ruleId' | 'scope'>

/**
 * The rules that say the same. Shape: `outdated` differ in the fingerprint: the tool that they allow is no more, and
 * the new one stands in their place.
 */
export function sameRules(
  known: readonly ConsentRule[],
  made: NewRule,
): { twin: ConsentRule | undefined; outdated: ConsentRule[] } {
  const same = known.filter(
    ({ effect, tool, pattern }) => effect === made.effect && tool === made.tool && pattern === made.pattern,
  )
  const twin = same.find(({ fingerprint }) => fingerprint === made.fingerprint)
  return { twin, outdated: same.filter((rule) => rule !== twin) }
}

/** A rule as a window makes it. Tools of added servers are allowed at an approval alone, which shows what they are. */
export const NewConsentRule = ConsentRule.omit({ ruleId: true, scope: true, fingerprint: true }).refine(
  ({ effect, tool }) => effect !== 'allow' || tool !== 'mcp',
)
export type NewConsentRule = z.infer<typeof NewConsentRule>

/**
 * What is wrong with the rules that a project brings.
 *
 * Shape: `unreadable`: none of them holds, and everything but reading is asked about. `detail` says where in the
 * file, empty where there is nothing to say.
 */
export const RuleProblem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow-ignored'), pattern: z.string() }),
  z.object({
    kind: z.literal('unreadable'),
    reason: z.enum(['no-json', 'no-rules', 'too-large', 'outside', 'failed']),
    detail: z.string(),
  }),
])
export type RuleProblem = z.infer<typeof RuleProblem>

/** A folder is untrusted until the user says so. */
export const FolderTrust = z.object({ isTrusted: z.boolean(), isAsked: z.boolean() })
export type FolderTrust = z.infer<typeof FolderTrust>

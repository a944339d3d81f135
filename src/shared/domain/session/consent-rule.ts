import { z } from 'zod'
import { DecisionRecord } from './agent-consent.ts'
import { RiskLevel } from './agent-plan.ts'
import { ToolName } from './tool-name.ts'

/**
 * A rule that allows, asks about or forbids calls in a folder.
 *
 * Shape: `tool` null: every tool. `pattern`: of a path (glob, relative to the folder) for file tools; of one
 * simple command for `run_command`, words with `*` at the end (`npm test`, `git log *`). `scope`: `session`
 * rules live as long as the session; `folder` rules are in the app's data; `project` rules come from the project's
 * own `.tsugi/rules.json`, which can only tighten. `fingerprint`: of an added server's tool when the user allowed it
 * (`ServerTools.offered`); a rule of an earlier version that allows such a tool without one allows nothing.
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

/** A rule before it gets an id and a scope. */
export type NewRule = Omit<ConsentRule, 'ruleId' | 'scope'>

/**
 * Returns the known rules with the same effect, tool and pattern. Shape: `twin` also has the same fingerprint;
 * `outdated` differ in it: the tool that they allow no longer exists, and the new rule replaces them.
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

/** A rule that a window may make. A tool of an added server can be allowed only at an approval, which shows it. */
export const NewConsentRule = ConsentRule.omit({ ruleId: true, scope: true, fingerprint: true }).refine(
  ({ effect, tool }) => effect !== 'allow' || tool !== 'mcp',
)
export type NewConsentRule = z.infer<typeof NewConsentRule>

/**
 * A problem with the rules that a project brings.
 *
 * Shape: `unreadable`: none of the rules holds, and every call but reads is asked about. `detail` is the place in the
 * file, or empty.
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

/** What was decided: a tool's call, a secret in a message, a session's folders, or a message judged by a hook. */
const AuditedAct = z.enum([...ToolName.options, 'attach_file', 'add_folder', 'remove_folder', 'submit_hook'])

/**
 * One decision, kept for good.
 *
 * Shape: `subject` is what it was about in one line: the command, the files, the plan's title. `record` has the
 * hash of what was approved; null for a refusal, whose `reason` the user or the rule gave. Its `callId` is empty
 * where no call was asked about.
 */
export const AuditEntry = z.object({
  seq: z.int(),
  at: z.number(),
  sessionId: z.string(),
  tool: AuditedAct,
  subject: z.string(),
  risk: RiskLevel,
  verdict: z.enum(['granted', 'approved', 'refused', 'denied', 'void', 'withdrawn']),
  record: DecisionRecord.nullable(),
  reason: z.string().nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

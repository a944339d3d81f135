import { z } from 'zod'
import { ToolName } from './tool-name.ts'

/**
 * What is let through, asked about or forbidden in a folder.
 *
 * Shape: `tool` null: every tool. `pattern`: of a path (glob, relative to the folder) for file tools; of one
 * simple command for `run_command`, words with `*` at the end (`npm test`, `git log *`). `scope`: `session`
 * lives as long as the session; `folder` in the app's data; `project` comes from the project's own
 * `.tsugi/rules.json`, which can only tighten.
 * Source: `docs/decisions/sessions.md`, Consent.
 */
export const ConsentRule = z.object({
  ruleId: z.string(),
  effect: z.enum(['allow', 'ask', 'deny']),
  tool: ToolName.nullable(),
  pattern: z.string().min(1).max(1000),
  scope: z.enum(['session', 'folder', 'project']),
})
export type ConsentRule = z.infer<typeof ConsentRule>

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

import { z } from 'zod'
import { DecisionRecord } from './agent-consent.ts'
import { RiskLevel } from './agent-plan.ts'
import { ToolName } from './tool-name.ts'

/**
 * The subject of a decision: a tool's call, a secret that goes with a message, the folders of a session, or a message
 * that a hook of the user's judged.
 */
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

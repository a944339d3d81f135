import { z } from 'zod'

/**
 * The decision that permits one call to have effects; the audit log keeps it.
 *
 * Shape: `name` is that of the grant, rule or mode; null for the user. `hash` is of what was approved: the bytes
 * that will be written, the command, the plan. `hasWaited`: a call that was granted without a question could not
 * begin at once, so the grant is checked again before the call runs. `profile` names the sandbox of a command that was
 * granted because it runs in a copy.
 */
export const DecisionRecord = z.object({
  callId: z.string(),
  by: z.enum(['user', 'grant', 'rule', 'mode']),
  name: z.string().nullable(),
  hash: z.string(),
  hasWaited: z.boolean().optional(),
  profile: z.string().optional(),
})
export type DecisionRecord = z.infer<typeof DecisionRecord>

/** A record that the gate service gives without asking the user. */
export type StandingConsent = DecisionRecord & { by: 'grant' | 'rule' | 'mode' }

/** A call that a gate asks about, and the hash of what is shown for it. */
export const GateItem = z.object({ callId: z.string(), hash: z.string() })
export type GateItem = z.infer<typeof GateItem>

/** A question for consent. `calls`: the model's calls; `plan`: a plan; `apply`: staged changes. */
export const AgentGate = z.object({
  gateId: z.string(),
  kind: z.enum(['calls', 'plan', 'apply']),
  items: z.array(GateItem).min(1),
})
export type AgentGate = z.infer<typeof AgentGate>

/**
 * The user's answer to one item of a gate.
 *
 * Shape: `shownHash` is the hash that the window had painted. `hash` is that of what is to be done: the same;
 * another one where `isPartial` (hunks were refused); null where the whole item is refused.
 */
export const GateAnswer = z.object({
  callId: z.string(),
  shownHash: z.string(),
  hash: z.string().nullable(),
  isPartial: z.boolean(),
})
export type GateAnswer = z.infer<typeof GateAnswer>

import { z } from 'zod'
import { courseLine } from './agent-course.ts'

export const RiskLevel = z.enum(['low', 'medium', 'high'])
export type RiskLevel = z.infer<typeof RiskLevel>

export const PlanStep = z.object({
  text: courseLine(200),
  kind: z.enum(['read', 'write', 'delete', 'run', 'think']),
  path: courseLine(1000).nullable(),
})

/** The arguments of `propose_plan`, which ends PLANNING. */
export const PlanProposal = z.object({
  title: courseLine(100),
  purpose: courseLine(200),
  steps: z.array(PlanStep).min(1).max(3),
  risk: RiskLevel,
  successCriteria: courseLine(200),
})
export type PlanProposal = z.infer<typeof PlanProposal>

export const Todo = z.object({ text: courseLine(100), isDone: z.boolean() })

export const TodoList = z.array(Todo).min(1).max(20)
export type TodoList = z.infer<typeof TodoList>

/** The plan in force. `callId` and `hash` are those of the call that proposed it: a plan gate's consent names them. */
export const AgentPlan = PlanProposal.extend({
  callId: z.string(),
  hash: z.string(),
  todos: TodoList,
  /** The host derived the plan from a change that the model began without one: the user is not asked about it. */
  isDerived: z.literal(true).optional(),
})
export type AgentPlan = z.infer<typeof AgentPlan>

/** The arguments of `submit_review`, which ends REVIEW; only the verdict has an effect. */
export const ReviewReport = z.object({
  rating: z.enum(['good', 'fair', 'needs-work']),
  problems: z.array(courseLine(200)).max(10),
  improvements: z.array(courseLine(200)).max(10),
  verdict: z.enum(['approve', 'revise', 'reject']),
})
export type ReviewReport = z.infer<typeof ReviewReport>

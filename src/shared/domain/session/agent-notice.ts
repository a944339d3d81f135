import { z } from 'zod'
import { CourseItem } from './agent-course.ts'
import { AgentMode, AgentStep } from './agent-step.ts'

/** The outcome of a call that did not run, as the model is told; the words are data in `resources/prompts`. */
export const CallOutcome = z.enum([
  'accepted',
  'answered',
  'invalid',
  'duplicate',
  'wrong-step',
  'read-only-step',
  'plan-mode',
  'call-cap',
  'denied',
  'rejected',
  'not-run',
  'superseded',
  'stopped',
  'interrupted',
  'copy-lost',
  'void',
])
export type CallOutcome = z.infer<typeof CallOutcome>

/** Why a turn failed. `disk-full` and `workspace-gone` are retried at the user's request, the others automatically. */
export const AgentFailure = z.enum([
  'model-failed',
  'decision-unreadable',
  'invalid-calls',
  'call-cap',
  'loop',
  'review-rejected',
  'disk-full',
  'workspace-gone',
])
export type AgentFailure = z.infer<typeof AgentFailure>

/** A notice that is logged and, where it concerns them, shown to the user and told to the model. */
export const AgentNotice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ignored'), event: z.string() }),
  z.object({
    kind: z.literal('step-refused'),
    from: AgentStep,
    to: AgentStep,
    why: z.enum(['table', 'condition', 'spent', 'plan-mode']),
  }),
  z.object({ kind: z.literal('check-failed'), check: z.enum(['goal', 'constraint']), reason: z.string() }),
  z.object({
    kind: z.literal('clipped'),
    item: z.enum([...CourseItem.options, 'lastDelta', 'decisionLog', 'contextRefs', 'learnedPatterns']),
  }),
  z.object({
    kind: z.literal('course-proposed'),
    item: CourseItem,
    value: z.union([z.string(), z.array(z.string())]),
  }),
  /** The model left a question open: the user may answer it at any time. */
  z.object({ kind: z.literal('question-deferred'), question: z.string() }),
  /** The user has corrected the same thing several times: the host proposes to remember it. */
  z.object({ kind: z.literal('pattern-proposed'), pattern: z.string() }),
  z.object({ kind: z.literal('stale-approval'), gateId: z.string() }),
  z.object({ kind: z.literal('leave-plan-mode') }),
  /** The user carries the plan out, in this mode. */
  z.object({ kind: z.literal('plan-mode-left'), mode: AgentMode }),
  z.object({ kind: z.literal('no-verdict') }),
  z.object({
    kind: z.literal('limit'),
    limit: z.enum(['decisions', 'recoveries', 'requests', 'check-runs']),
  }),
  /** The model's answer had neither text nor calls. */
  z.object({ kind: z.literal('no-answer') }),
  /** The user refuses a plan and says why. */
  z.object({ kind: z.literal('plan-refused'), reason: z.string() }),
  z.object({ kind: z.literal('continue-after-crash') }),
  /** MCP servers that are still starting: their tools come with a later request. */
  z.object({ kind: z.literal('servers-starting'), names: z.array(z.string()) }),
  /** MCP servers that the folder's `.mcp.json` proposes: the user decides about them in the settings. */
  z.object({ kind: z.literal('servers-proposed'), names: z.array(z.string()) }),
  /** Files that others changed at the last moment were not written; the change set has their intended content. */
  z.object({ kind: z.literal('left-alone'), changeSetId: z.string(), paths: z.array(z.string()).min(1) }),
])
export type AgentNotice = z.infer<typeof AgentNotice>

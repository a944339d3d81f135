import { z } from 'zod'
import { courseLimits, courseLine, courseLines } from './agent-course.ts'
import { AgentStep } from './agent-step.ts'

/** Units: graphemes. */
export const decisionReasonLimit = 200

/**
 * A check of a decision. *Duckflow prompt system* has "yes/no + reason" in one string; two fields let a grammar
 * constrain the choice, and `readDecision` takes the string as well.
 */
export const DecisionCheck = z.object({
  answer: z.enum(['yes', 'no']),
  reason: courseLine(decisionReasonLimit),
})
export type DecisionCheck = z.infer<typeof DecisionCheck>

/** Changed items of the course, null where unchanged, and the change in one line. */
export const StateDelta = z.object({
  goal: courseLine(courseLimits.goal.characters).nullable(),
  why_now: courseLine(courseLimits.whyNow.characters).nullable(),
  constraints: courseLines(courseLimits.constraints).nullable(),
  plan_brief: courseLines(courseLimits.planBrief).nullable(),
  open_questions: courseLines(courseLimits.openQuestions).nullable(),
  summary: courseLine(courseLimits.lastDelta.characters),
})
export type StateDelta = z.infer<typeof StateDelta>

export const NextStep = z.enum(['done', 'pending_user', 'defer', 'continue'])
export type NextStep = z.infer<typeof NextStep>

export const PromptPattern = z.enum(['base_main', 'base_main_specialized'])
export type PromptPattern = z.infer<typeof PromptPattern>

/**
 * The model's decision: the one source of the JSON schema, the grammar, the prompt's example and the validator.
 *
 * Shape: keys in the order in which a model writes them; every key is required and no others are allowed.
 * Source: *Duckflow prompt system* 7.1.
 */
export const AgentDecision = z.object({
  rationale: courseLine(decisionReasonLimit),
  goal_consistency: DecisionCheck,
  constraint_check: DecisionCheck,
  next_step: NextStep,
  step: AgentStep,
  prompt_pattern: PromptPattern,
  state_delta: StateDelta.nullable(),
})
export type AgentDecision = z.infer<typeof AgentDecision>

import { type AgentDecision, decisionReasonLimit } from '../../../shared/domain/session/agent-decision.ts'
import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import { toolCalled, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'

/**
 * Reads an answer on the direct path as a decision, for the log and the user only: the machine uses the answer itself.
 *
 * Source: `docs/decisions/direct-path.md`, One loop.
 */
export function derivedDecision(
  { step }: Pick<AgentState, 'step'>,
  calls: readonly { name: string }[],
  text: string,
): AgentDecision {
  const names = calls.flatMap(({ name }) => toolCalled(name) ?? [])
  const isChange = names.some((name) => ['write', 'run', 'service'].includes(toolTraits[name].access))
  const asks = names.includes('ask_user')
  const yes = { answer: 'yes', reason: '' } as const
  return {
    rationale: firstLine(text),
    goal_consistency: yes,
    constraint_check: yes,
    next_step: asks ? 'pending_user' : calls.length === 0 ? 'done' : 'continue',
    step: isChange && step === 'PLANNING' ? 'EXECUTION' : step,
    prompt_pattern: calls.length === 0 ? 'base_main' : 'base_main_specialized',
    state_delta: null,
  }
}

/** Returns the first line of an answer that is not blank, which serves as its rationale. */
export function firstLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? ''
  return clipLine(line, decisionReasonLimit)
}

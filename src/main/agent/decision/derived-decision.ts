import { type AgentDecision, decisionReasonLimit } from '../../../shared/domain/session/agent-decision.ts'
import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import { toolCalled, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'

/**
 * Reads an answer on the direct path as a decision record: for the log and the user, the machine goes by the answer.
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

/** The first line of an answer that says something: why it does what it does. */
export function firstLine(text: string): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? ''
  return clipLine(line, decisionReasonLimit)
}

import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import { type AgentDecision, decisionReasonLimit } from '../../../shared/domain/session/agent-decision.ts'
import type { AgentState } from '../../../shared/domain/session/agent-state.ts'
import type { AnswerItem } from '../../../shared/domain/session/session-item.ts'
import { toolCalled, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import type { AgentEvent, ProposedCall } from '../../agent/agent-events.ts'
import { limitedDelta } from '../../agent/course.ts'
import type { ReplyOutcome } from '../../agent/model/agent-model.ts'
import type { RawCall } from '../../tools/prepared-call.ts'
import type { LiveSession } from '../live-session.ts'

/** An answer as it is written: an item of the conversation from its first character on. */
export class WrittenAnswer {
  readonly #session: LiveSession
  #purpose: AnswerItem['purpose'] | null
  #itemId: string | null = null
  #isClosed = false

  constructor(session: LiveSession, purpose: AnswerItem['purpose'] | null) {
    this.#session = session
    this.#purpose = purpose
  }

  /** Sets the purpose of an answer that was to be hidden, or that has another one: text on the direct path. */
  become(purpose: AnswerItem['purpose']): void {
    this.#purpose = purpose
    if (this.#itemId !== null) this.#session.change(this.#itemId, 'answer', { purpose })
  }

  grow(field: 'text' | 'reasoning', text: string): void {
    const itemId = this.#open()
    if (itemId !== null) this.#session.grow(itemId, field, text)
  }

  /** Replaces the text so far by a corrected one. */
  replace(text: string): void {
    const itemId = this.#open()
    if (itemId !== null) this.#session.change(itemId, 'answer', { text })
  }

  finish({ text, reasoning, end, usage, modelName, isDemo }: Omit<ReplyOutcome, 'entries'>): void {
    if (text === '' && reasoning === '' && this.#itemId === null) return
    const itemId = this.#open()
    if (itemId === null) return
    this.#isClosed = true
    this.#session.change(itemId, 'answer', {
      text,
      reasoning,
      state: end === 'stopped' ? 'stopped' : 'finished',
      isCut: end === 'cut',
      usage,
      modelName,
      isDemo,
    })
  }

  /** Closes an answer that ended without a result; what was written stays. */
  close(state: 'stopped' | 'failed'): void {
    if (this.#itemId !== null && !this.#isClosed) this.#session.change(this.#itemId, 'answer', { state })
    this.#isClosed = true
  }

  #open(): string | null {
    if (this.#itemId !== null || this.#purpose === null) return this.#itemId
    const { itemId } = this.#session.add({
      kind: 'answer',
      purpose: this.#purpose,
      state: 'writing',
      text: '',
      reasoning: '',
      isCut: false,
      usage: null,
      modelName: '',
      isDemo: false,
    })
    this.#itemId = itemId
    return itemId
  }
}

/** Length of the user's words that name a conversation. Units: graphemes. */
const referredLength = 100

/** A decision that was read from an answer, as an item of the conversation. */
type DecisionWritten = { itemId: string; decision: AgentDecision }

export function writeDecision(
  session: LiveSession,
  raw: readonly RawCall[],
  text: string,
  usage: ModelUsage | null,
): DecisionWritten {
  const decision = derivedDecision(session.state, raw, text)
  const own = text === '' ? usage : null
  const item = session.add({ kind: 'decision', decision, source: 'derived', isRepaired: false, usage: own })
  return { itemId: item.itemId, decision }
}

/** Adds to the recorded decision the changes that its calls make to the course. */
export function completeDecision(
  session: LiveSession,
  { itemId, decision }: DecisionWritten,
  calls: readonly ProposedCall[],
  isDeferred: boolean,
): void {
  const course = calls.find(({ kind }) => kind === 'course')
  if (course?.kind !== 'course') return
  const next_step = isDeferred ? 'defer' : decision.next_step
  const changed = { ...decision, next_step, state_delta: limitedDelta(course.delta) }
  session.change(itemId, 'decision', { decision: changed })
}

/** Records that this turn leaves something open. The record quotes the user, and survives a compaction. */
export function turnReferred({ turn, state }: LiveSession): AgentEvent {
  const reference = `conversation:${turn} ${clipLine(state.turn.message, referredLength)}`
  return { type: 'reference.added', reference }
}

/**
 * Reads an answer on the direct path as a decision, for the log and the user only: the machine uses the answer itself.
 *
 * Source: `docs/decisions/direct-path.md`, One loop.
 */
function derivedDecision(
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

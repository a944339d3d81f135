import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { AnswerItem } from '../../../shared/domain/session/session-item.ts'
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

  /** Completes the answer at its end. */
  finish(outcome: {
    text: string
    reasoning: string
    end: 'finished' | 'cut' | 'stopped'
    usage: ModelUsage | null
    modelName: string
    isDemo: boolean
  }): void {
    const { text, reasoning, end, usage, modelName, isDemo } = outcome
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

import { type MessageSegment, segmentsText } from '../../../shared/domain/message-segment.ts'
import type { QueuedMessage } from '../../../shared/domain/session.ts'
import type { MessageHow } from '../../../shared/domain/session-item.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { SubmitItem } from '../../sessions/prompt-submit.ts'
import type { PromptEntry } from '../model/prompt-entry.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** More items than one message can name files. */
const unsentItems = 2_000

/** The user's messages with what goes with them: in the conversation, and as the model reads them. */
export class SentMessages {
  readonly #deps: Pick<RunnerDeps, 'session' | 'ledger' | 'submit'>

  constructor(deps: Pick<RunnerDeps, 'session' | 'ledger' | 'submit'>) {
    this.#deps = deps
    for (const { file } of deps.session.log) if (file !== undefined) this.#noteFile(file)
  }

  /** Shows a message of this turn and what goes with it; the answer is what the model is told, in order. */
  add(segments: readonly MessageSegment[], how: MessageHow, items: readonly SubmitItem[]): PromptEntry[] {
    const { session } = this.#deps
    const written = segmentsText(segments)
    const text = items.findLast(({ modelText }) => modelText !== undefined)?.modelText ?? written
    const modelText = text === written ? {} : { modelText: text }
    session.add({ kind: 'user', how, segments: [...segments], ...modelText })
    const entries = items.flatMap(({ item, entry }): PromptEntry[] => {
      if (item !== null) session.add(item)
      if (entry === null) return []
      if (entry.file !== undefined) this.#noteFile(entry.file)
      return [{ ...entry, turn: session.turn }]
    })
    return [this.entry(text), ...entries]
  }

  /**
   * Begins a message that has waited with what goes with it, found now and not when it was written. One that is
   * not sent is shown with the reason, to be sent again.
   */
  async next(message: QueuedMessage, begin: (items: SubmitItem[]) => void): Promise<void> {
    const { session } = this.#deps
    session.setActivity({ phase: 'queued', progress: null })
    let items: SubmitItem[]
    try {
      items = await this.#deps.submit(message)
    } catch (error) {
      if (!isAppError(error)) throw error
      session.add({ kind: 'user', how: 'send', segments: message.segments })
      session.add({ kind: 'error', failure: null, error: error.info, isRetried: false })
      return
    }
    begin(items)
  }

  entry(text: string): PromptEntry {
    return { turn: this.#deps.session.turn, role: 'user', kind: 'message', text }
  }

  /** A message that the host took and did not bring to the model any more, as it would have been told. */
  unsent(): PromptEntry[] {
    const { session } = this.#deps
    const { turn } = session
    const isSent = session.log.some((entry) => entry.kind === 'message' && entry.turn === turn)
    if (turn === 0 || isSent) return []
    const items = session.page({ limit: unsentItems }).items.filter((item) => item.turn === turn)
    return items.flatMap((item): PromptEntry[] => {
      if (item.kind === 'user' && item.how !== 'beside')
        return [this.entry(item.modelText ?? segmentsText(item.segments))]
      if (item.kind !== 'file' || item.state !== 'ok') return []
      return [{ turn, role: 'system', kind: 'file', text: item.text }]
    })
  }

  #noteFile({ path, hash, from, to }: NonNullable<PromptEntry['file']>): void {
    if (from > 0) this.#deps.ledger.note(path, hash, { from, to })
  }
}

import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { QueuedMessage } from '../../../shared/domain/session/session.ts'
import type { MessageHow } from '../../../shared/domain/session/session-item.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { SubmitItem } from '../../sessions/prompt-submit.ts'
import type { PromptEntry } from '../model/prompt/prompt-entry.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** More items than one message can name files. */
const unsentItems = 2_000

/** The user's messages with what goes with them: in the conversation, and as the model reads them. */
export class SentMessages {
  readonly #deps: Pick<RunnerDeps, 'session' | 'ledger' | 'submit'>

  constructor(deps: Pick<RunnerDeps, 'session' | 'ledger' | 'submit'>) {
    this.#deps = deps
    for (const { file } of [...deps.session.log, ...this.unsent()])
      if (file !== undefined) this.#noteFile(file)
  }

  /** Shows a message of this turn and what goes with it; the answer is what the model is told, in order. */
  add(segments: readonly MessageSegment[], how: MessageHow, items: readonly SubmitItem[]): PromptEntry[] {
    const text = modelTextOf(segments, items)
    const modelText = text === segmentsText(segments) ? {} : { modelText: text }
    this.#deps.session.add({ kind: 'user', how, segments: [...segments], ...modelText })
    return [this.entry(text), ...this.bring(items)]
  }

  /** Shows what goes with words of the user's; the answer is what the model is told of it, in order. */
  bring(items: readonly SubmitItem[]): PromptEntry[] {
    const { session } = this.#deps
    return items.flatMap(({ item, entry }): PromptEntry[] => {
      if (item !== null) session.add(item)
      if (entry === null) return []
      if (entry.file !== undefined) this.#noteFile(entry.file)
      return [{ ...entry, turn: session.turn }]
    })
  }

  /**
   * Begins a message that has waited with what goes with it, found now and not when it was written. One that is
   * not sent stays with the reason where it waited: its text goes back to the box.
   */
  async next(message: QueuedMessage, begin: (items: SubmitItem[]) => void): Promise<void> {
    const { session } = this.#deps
    session.setActivity({ phase: 'queued', progress: null })
    let items: SubmitItem[]
    try {
      items = await this.#deps.submit(message)
    } catch (error) {
      if (!isAppError(error)) throw error
      session.enqueue({ ...message, refusal: error.info })
      return
    }
    begin(items)
  }

  entry(text: string): PromptEntry {
    return { turn: this.#deps.session.turn, role: 'user', kind: 'message', text }
  }

  /** What the host took of this turn and did not bring to the model any more, as it would have been told. */
  unsent(): PromptEntry[] {
    const { session } = this.#deps
    const { turn, log } = session
    const sent = log.filter((entry) => entry.turn === turn)
    const isSent = sent.some(({ kind }) => kind === 'message')
    const files = new Set(sent.filter(({ kind }) => kind === 'file').map(({ text }) => text))
    // A compaction in this turn has taken all of it, and may have left texts out since.
    const isCompacted = sent.some(({ kind }) => kind === 'summary')
    if (turn === 0 || isCompacted) return []
    const items = session.page({ limit: unsentItems }).items.filter((item) => item.turn === turn)
    let isBeside = false
    return items.flatMap((item): PromptEntry[] => {
      if (item.kind !== 'file') isBeside = item.kind === 'user' && item.how === 'beside'
      if (isBeside) return []
      if (item.kind === 'user')
        return isSent ? [] : [this.entry(item.modelText ?? segmentsText(item.segments))]
      if (item.kind !== 'file' || item.state !== 'ok' || files.has(item.text)) return []
      const entry = { turn, role: 'system', kind: 'file', text: item.text } as const
      return [item.known === undefined ? entry : { ...entry, file: item.known }]
    })
  }

  #noteFile({ path, hash, from, to }: NonNullable<PromptEntry['file']>): void {
    if (from > 0) this.#deps.ledger.note(path, hash, { from, to })
  }
}

/** A message as the model reads it: what could not be attached is named as such in its place. */
export function modelTextOf(segments: readonly MessageSegment[], items: readonly SubmitItem[]): string {
  return items.findLast(({ modelText }) => modelText !== undefined)?.modelText ?? segmentsText(segments)
}

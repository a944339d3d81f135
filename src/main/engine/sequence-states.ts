import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import type { Log } from '../deps.ts'
import type { StateFiles } from './state-files.ts'

/** Fewer tokens are read again sooner than a state is worth its writing. */
const worthwhileTokens = 256
/** Of a conversation that goes on: a state is as large as all of it, and is not written for every few words. */
const worthwhileShare = 0.25

/**
 * Keeps the prompt caches of conversations beyond their sequence's life.
 *
 * It only ever saves time: whatever goes wrong is logged, and the prompt is read from its beginning.
 */
export class SequenceStates {
  readonly #files: StateFiles
  readonly #log: Pick<Log, 'write'>
  /** What the files hold, as far as this process wrote or read them. */
  readonly #stored = new Map<string, readonly number[]>()

  constructor(files: StateFiles, log: Pick<Log, 'write'>) {
    this.#files = files
    this.#log = log
  }

  /**
   * Saves a conversation, where enough of it would be lost. `contextBytes`: what its whole context takes.
   * `isEnding`: its sequence is about to go.
   */
  async save(
    conversation: string,
    sequence: LlamaContextSequence,
    { contextBytes, isEnding }: { contextBytes: number; isEnding: boolean },
  ): Promise<void> {
    const tokens = sequence.contextTokens
    const unsaved = tokens.length - sharedTokens(this.#stored.get(conversation) ?? [], tokens)
    if (unsaved < worthwhileTokens || (!isEnding && unsaved < tokens.length * worthwhileShare)) return
    try {
      const bytes = Math.ceil((contextBytes * tokens.length) / sequence.contextSize)
      const isSaved = await this.#files.save(conversation, tokens, bytes, (path) =>
        sequence.saveStateToFile(path),
      )
      if (isSaved) this.#stored.set(conversation, tokens)
      else this.#log.write('warn', 'engine.state-too-large', { tokens: tokens.length, bytes })
    } catch (error) {
      this.#log.write('warn', 'engine.state-not-saved', { error: String(error) })
    }
  }

  /** Brings a conversation's state back, where `prompt` can use much more of it than of what the sequence holds. */
  async restore(
    conversation: string,
    sequence: LlamaContextSequence,
    prompt: readonly Token[],
  ): Promise<void> {
    try {
      const saved = await this.#files.tokens(conversation)
      const gain = sharedTokens(saved, prompt) - sharedTokens(sequence.contextTokens, prompt)
      if (gain < worthwhileTokens || saved.length > sequence.contextSize) return
      await this.#files.load(conversation, (path) => sequence.loadStateFromFile(path, { acceptRisk: true }))
      this.#stored.set(conversation, saved)
    } catch (error) {
      this.#log.write('warn', 'engine.state-not-restored', { error: String(error) })
    }
  }
}

function sharedTokens(one: readonly number[], other: readonly number[]): number {
  let shared = 0
  while (shared < one.length && shared < other.length && one[shared] === other[shared]) shared += 1
  return shared
}

import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import type { Log } from '../deps.ts'
import type { StateFiles } from './state-files.ts'

/** Minimum number of tokens that are saved: fewer are processed again faster than a state is written. */
const worthwhileTokens = 256
/** Minimum share of new tokens in a running conversation: a state contains all of it, too much for a few words. */
const worthwhileShare = 0.25

/**
 * Keeps the prompt caches of conversations longer than their sequences.
 *
 * A state only saves time: after any error, which is logged, the prompt is processed from its beginning.
 */
export class SequenceStates {
  readonly #files: StateFiles
  readonly #log: Pick<Log, 'write'>
  /** The tokens in the state files that this process wrote or read. */
  readonly #stored = new Map<string, readonly number[]>()

  constructor(files: StateFiles, log: Pick<Log, 'write'>) {
    this.#files = files
    this.#log = log
  }

  /**
   * Saves a conversation where enough of it would be lost. `contextBytes`: size of its whole context.
   * `isEnding`: its sequence is about to be lost.
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

  /** Restores a conversation's state where `prompt` can use much more of it than of the sequence's present content. */
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

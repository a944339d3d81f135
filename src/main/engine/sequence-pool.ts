import { freemem } from 'node:os'
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp'
import type { Log } from '../deps.ts'
import type { StateFiles } from './state-files.ts'

type Held = { context: LlamaContext; sequence: LlamaContextSequence }

const mostSequences = 4

/**
 * Keeps one sequence (a prompt cache) per conversation, each in its own context, which is created when first needed.
 * When memory is short, the least recently used conversation is saved and its sequence is given to the new one; a
 * saved conversation is restored when it is used again.
 */
export class SequencePool {
  readonly #create: () => Promise<LlamaContext>
  readonly #states: SequenceStates | null
  readonly #isRoomy: (bytes: number) => boolean
  /** In order of use, oldest first. */
  readonly #held = new Map<string, Held>()
  #spare: Held | null = null
  /** Size of the first context, which decides how long a prompt may be. Units: tokens. */
  #contextTokens = 0
  #mostSequences = mostSequences

  constructor(
    create: () => Promise<LlamaContext>,
    states: SequenceStates | null,
    isRoomy = (bytes: number) => freemem() > bytes * 3,
  ) {
    this.#create = create
    this.#states = states
    this.#isRoomy = isRoomy
  }

  get size(): number {
    return this.#held.size
  }

  /** Oldest first. */
  get conversations(): string[] {
    return [...this.#held.keys()]
  }

  /** Creates the first context before it is used, and returns its size. Units: tokens. */
  async prepare(): Promise<number> {
    this.#spare = await this.#make()
    this.#contextTokens = this.#spare.sequence.contextSize
    return this.#contextTokens
  }

  /** Returns the sequence of a conversation. `prompt`: the prompt that it will process. */
  async take(conversation: string, prompt: readonly Token[]): Promise<LlamaContextSequence> {
    const held = this.#held.get(conversation) ?? (await this.#add(conversation, prompt))
    this.#held.delete(conversation)
    this.#held.set(conversation, held)
    return held.sequence
  }

  /** Saves a conversation without a running request. `isEnding`: its sequence is about to be lost. */
  async save(conversation: string, isEnding: boolean): Promise<void> {
    const held = this.#held.get(conversation)
    if (held === undefined) return
    await this.#states?.save(conversation, held.sequence, { contextBytes: bytesOf(held), isEnding })
  }

  async dispose(): Promise<void> {
    const all = [...this.#held.values()]
    if (this.#spare !== null) all.push(this.#spare)
    this.#spare = null
    this.#held.clear()
    for (const { context } of all) await context.dispose()
  }

  async #add(conversation: string, prompt: readonly Token[]): Promise<Held> {
    const held = await this.#free()
    await this.#states?.restore(conversation, held.sequence, prompt)
    return held
  }

  async #free(): Promise<Held> {
    const spare = this.#spare
    this.#spare = null
    if (spare !== null) return spare
    const [oldest] = this.#held
    if (oldest === undefined) return this.#make()
    if (this.#held.size < this.#mostSequences && this.#isRoomy(bytesOf(oldest[1]))) {
      const another = await this.#makeAnother()
      if (another !== null) return another
      this.#mostSequences = this.#held.size
    }
    await this.save(oldest[0], true)
    this.#held.delete(oldest[0])
    return oldest[1]
  }

  /**
   * Creates another context of the first one's size. Null where the memory has no room for it: the system's free memory
   * says nothing about a graphics processor's.
   */
  async #makeAnother(): Promise<Held | null> {
    const held = await this.#make().catch(() => null)
    if (held === null || held.sequence.contextSize >= this.#contextTokens) return held
    // A smaller one would silently lose the beginning of a prompt that fits into the first.
    await held.context.dispose()
    return null
  }

  async #make(): Promise<Held> {
    const context = await this.#create()
    return { context, sequence: context.getSequence() }
  }
}

function bytesOf({ context }: Held): number {
  const { ram, vram } = context.memoryUsage
  return ram + vram
}

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

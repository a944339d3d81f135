import { freemem } from 'node:os'
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp'
import type { SequenceStates } from './sequence-states.ts'

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

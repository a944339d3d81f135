import { freemem } from 'node:os'
import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp'

type Held = { context: LlamaContext; sequence: LlamaContextSequence }

const mostSequences = 4

/**
 * One sequence (a prompt cache) per conversation, each in a context of its own, made when it is first needed.
 * When memory is short the one that was used longest ago is given to the newcomer.
 */
export class SequencePool {
  readonly #create: () => Promise<LlamaContext>
  readonly #isRoomy: (bytes: number) => boolean
  /** In order of use, oldest first. */
  readonly #held = new Map<string, Held>()
  #spare: Held | null = null

  constructor(create: () => Promise<LlamaContext>, isRoomy = (bytes: number) => freemem() > bytes * 3) {
    this.#create = create
    this.#isRoomy = isRoomy
  }

  get size(): number {
    return this.#held.size
  }

  /** Makes the first one before anybody asks, and tells its size. Units: tokens. */
  async prepare(): Promise<number> {
    this.#spare = await this.#make()
    return this.#spare.sequence.contextSize
  }

  async take(conversation: string): Promise<LlamaContextSequence> {
    const held = this.#held.get(conversation) ?? (await this.#add())
    this.#held.delete(conversation)
    this.#held.set(conversation, held)
    return held.sequence
  }

  async dispose(): Promise<void> {
    const all = [...this.#held.values()]
    if (this.#spare !== null) all.push(this.#spare)
    this.#spare = null
    this.#held.clear()
    for (const { context } of all) await context.dispose()
  }

  async #add(): Promise<Held> {
    const spare = this.#spare
    this.#spare = null
    if (spare !== null) return spare
    const [oldest] = this.#held
    if (oldest === undefined) return this.#make()
    const { ram, vram } = oldest[1].context.memoryUsage
    if (this.#held.size < mostSequences && this.#isRoomy(ram + vram)) return this.#make()
    this.#held.delete(oldest[0])
    return oldest[1]
  }

  async #make(): Promise<Held> {
    const context = await this.#create()
    return { context, sequence: context.getSequence() }
  }
}

import { sharedLength } from '../../../../src/shared/text/difference/text-similarity.ts'

/** A slot: what its part of the cache holds, and who has it. */
export type Slot = {
  id: number
  tokens: readonly number[]
  lease: Lease | null
  usedAt: number
  /** The lease that it has or had. */
  last: Lease | null
}

export type Lease = {
  slot: Slot
  taskId: number
  promptTokens: readonly number[]
  /** Prompt tokens that need not be read again. */
  reusedTokens: number
  predictedTokens: number
  /** False until the prompt was read: a refused one leaves the slot as it was. */
  isRead: boolean
  /** Set from outside when all running requests together are larger than a shared cache. */
  isOutOfSpace: boolean
  /** What was asked, for `/slots`. */
  params: Record<string, unknown>
}

export type SlotTask = {
  taskId: number
  tokens: readonly number[]
  idSlot: number
  usesCache: boolean
  params: Record<string, unknown>
  signal: AbortSignal
}

export type SlotPoolOptions = {
  slots: number
  /** Tokens of one slot. */
  contextTokens: number
  isShared: boolean
  /** Tokens that fit the RAM cache of former prompts; 0 turns it off. */
  ramTokens: number
}

type Waiting = { task: SlotTask; start: (lease: Lease | null) => void }

/**
 * A slot is chosen by its cached tokens when these are more than this share of the prompt.
 *
 * Source: the server's `--slot-prompt-similarity`, by its default.
 */
const similarityLimit = 0.1

/**
 * The slots, the first-come-first-served queue before them, and the prompt cache: by slot, with the prompts that
 * slots had to forget kept in RAM.
 *
 * Source: llama-server as measured, prompt cache and queue; the `cache_*` transcripts are replayed.
 */
export class SlotPool {
  readonly options: SlotPoolOptions
  readonly slots: Slot[]
  #waiting: Waiting[] = []
  #ram: (readonly number[])[] = []
  #clock = 0

  constructor(options: SlotPoolOptions) {
    this.options = options
    this.slots = Array.from({ length: options.slots }, (_, id) => ({
      id,
      tokens: [],
      lease: null,
      usedAt: 0,
      last: null,
    }))
  }

  get isFull(): boolean {
    return this.slots.every((slot) => slot.lease !== null)
  }

  get pendingCount(): number {
    return this.#waiting.length + this.slots.filter((slot) => slot.lease !== null).length
  }

  /** The prompts of what runs or waits. */
  get pendingPrompts(): (readonly number[])[] {
    const running = this.slots.flatMap(({ lease }) => (lease === null ? [] : [lease.promptTokens]))
    return [...running, ...this.#waiting.map(({ task }) => task.tokens)]
  }

  /** Null when the asker went away before a slot was free. */
  acquire(task: SlotTask): Promise<Lease | null> {
    return new Promise((start) => {
      const waiting = { task, start }
      this.#waiting.push(waiting)
      task.signal.addEventListener('abort', () => {
        if (!this.#waiting.includes(waiting)) return
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        start(null)
      })
      this.#startNext()
    })
  }

  release(lease: Lease, spoken: readonly number[]): void {
    const { slot } = lease
    if (slot.lease !== lease) return
    // The last token was said, not read: it is not in the cache.
    if (lease.isRead) slot.tokens = [...lease.promptTokens, ...spoken.slice(0, -1)]
    slot.lease = null
    this.#clock += 1
    slot.usedAt = this.#clock
    this.#startNext()
  }

  /** Fails all running requests when together they no longer fit a cache that they share. */
  checkSpace(): void {
    if (!this.options.isShared) return
    const leases = this.slots.flatMap((slot) => slot.lease ?? [])
    const used = leases.reduce((sum, lease) => sum + lease.promptTokens.length + lease.predictedTokens, 0)
    if (leases.length > 1 && used > this.options.contextTokens) {
      for (const lease of leases) lease.isOutOfSpace = true
    }
  }

  #startNext(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    const slot = this.#choose(next.task)
    if (slot === null) return
    this.#waiting.shift()
    const { task } = next
    const shared = task.usesCache ? sharedLength(slot.tokens, task.tokens) : 0
    slot.lease = {
      slot,
      taskId: task.taskId,
      promptTokens: task.tokens,
      // The last token is always read, or there would be nothing to go on from.
      reusedTokens: Math.max(0, Math.min(shared, task.tokens.length - 1)),
      predictedTokens: 0,
      isRead: false,
      isOutOfSpace: false,
      params: task.params,
    }
    slot.last = slot.lease
    next.start(slot.lease)
    this.#startNext()
  }

  #choose(task: SlotTask): Slot | null {
    const named = this.slots[task.idSlot]
    if (named !== undefined) {
      if (named.lease !== null) return null
      this.#keepIdle(named, false)
      return this.#recall(named, task)
    }
    const free = this.slots.filter((slot) => slot.lease === null)
    let best: Slot | null = null
    let most = 0
    for (const slot of free) {
      const similarity = sharedLength(slot.tokens, task.tokens) / Math.max(1, task.tokens.length)
      if (similarity > most && similarity > similarityLimit) {
        best = slot
        most = similarity
      }
    }
    // Of the slots that were never used the last one comes first.
    best ??= free.reduce<Slot | null>(
      (oldest, slot) => (oldest === null || slot.usedAt <= oldest.usedAt ? slot : oldest),
      null,
    )
    if (best === null) return null
    // A shared cache has no room for idle slots.
    if (this.options.isShared) this.#keepIdle(best, true)
    return this.#recall(best, task)
  }

  /** Writes what the other free slots hold to RAM. */
  #keepIdle(except: Slot, clears: boolean): void {
    for (const slot of this.slots) {
      if (slot === except || slot.lease !== null) continue
      this.#keep(slot.tokens)
      if (clears) slot.tokens = []
    }
  }

  #keep(tokens: readonly number[]): void {
    if (tokens.length === 0 || this.options.ramTokens === 0) return
    if (this.#ram.some((kept) => sharedLength(kept, tokens) === tokens.length)) return
    this.#ram.push(tokens)
  }

  /** Saves a slot's tokens to RAM before most of them are dropped, and restores tokens that fit the prompt better. */
  #recall(slot: Slot, task: SlotTask): Slot {
    if (this.options.ramTokens === 0) return slot
    const shared = sharedLength(slot.tokens, task.tokens)
    if (slot.tokens.length > 0 && shared >= slot.tokens.length * 0.5) return slot
    this.#keep(slot.tokens)
    let bestLength = shared
    let best: readonly number[] | null = null
    for (const kept of this.#ram) {
      const length = sharedLength(kept, task.tokens)
      if (length > bestLength && length >= kept.length * 0.25) {
        best = kept
        bestLength = length
      }
    }
    if (best !== null) {
      this.#ram = this.#ram.filter((kept) => kept !== best)
      slot.tokens = best
    }
    const size = () => this.#ram.reduce((sum, kept) => sum + kept.length, 0)
    while (this.#ram.length > 1 && size() > this.options.ramTokens) this.#ram.shift()
    return slot
  }
}

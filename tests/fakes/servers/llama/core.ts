import type { LlamaOptions } from '../fake-llama-server.ts'
import { type Lease, SlotPool } from './slot-pool.ts'
import { Vocabulary } from './vocabulary.ts'
import type { Work } from './work.ts'

/** One request as it came. */
export type LoggedRequest = {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
  /** Parsed JSON, the text where it is none, undefined without one. */
  body: unknown
}

/** What one request for words cost. Units: tokens. */
type GenerationCount = {
  path: string
  promptTokens: number
  /** Prompt tokens that the slot had already read. */
  reusedTokens: number
  /** 0, too, where the prompt was refused or its asker left before it was read. */
  reprocessedTokens: number
  predictedTokens: number
  /** -1: it never had a slot. */
  slot: number
  /** Its asker closed the connection before the reply was complete. */
  isAborted: boolean
}

export type LlamaCounts = {
  /** In the order in which they ended. */
  generations: GenerationCount[]
  aborted: number
}

/** The state that the routes share: options, slots, vocabulary, and the counts for tests. */
export class LlamaCore {
  readonly options: LlamaOptions
  readonly vocabulary: Vocabulary
  readonly pool: SlotPool
  readonly requests: LoggedRequest[] = []
  readonly counts: LlamaCounts = { generations: [], aborted: 0 }
  readonly scriptErrors: unknown[] = []
  readonly startedAt = Math.floor(Date.now() / 1000)
  readonly refuse: () => void
  #taskId = 0
  #index = 0

  constructor(options: LlamaOptions, refuse: () => void) {
    this.options = options
    this.vocabulary = new Vocabulary(options.specialTokens, options.userTokens, options.usualTokens)
    this.refuse = refuse
    this.pool = new SlotPool({
      slots: options.sharesContext === true ? 4 : (options.slots ?? 1),
      contextTokens: this.contextTokens,
      isShared: options.sharesContext === true,
      ramTokens: Math.floor(((options.cacheRamMiB ?? 8192) * 1024 * 1024) / tokenBytes),
    })
  }

  /** Of one slot: the whole divided by their number, unless they share it. */
  get contextTokens(): number {
    const { contextTokens = 8192, slots = 1, sharesContext = false } = this.options
    return sharesContext ? contextTokens : Math.floor(contextTokens / slots)
  }

  get modelName(): string {
    return this.options.alias ?? 'smol.gguf'
  }

  get template() {
    return this.options.template ?? 'tools'
  }

  get pingMs(): number {
    return this.options.pingMs ?? 30_000
  }

  get faultPlace() {
    return { refuse: this.refuse, contextTokens: this.contextTokens }
  }

  nextTaskId(): number {
    this.#taskId += 1
    return this.#taskId
  }

  nextIndex(): number {
    this.#index += 1
    return this.#index - 1
  }

  count(work: Work, lease: Lease, isAborted: boolean): void {
    this.counts.generations.push({
      path: work.asked.path,
      promptTokens: lease.promptTokens.length,
      reusedTokens: lease.isRead ? lease.reusedTokens : 0,
      reprocessedTokens: lease.isRead ? lease.promptTokens.length - lease.reusedTokens : 0,
      predictedTokens: lease.predictedTokens,
      slot: lease.slot.id,
      isAborted,
    })
    if (isAborted) this.counts.aborted += 1
  }

  countUnstarted(work: Work): void {
    this.counts.generations.push({
      path: work.asked.path,
      promptTokens: work.promptTokens.length,
      reusedTokens: 0,
      reprocessedTokens: 0,
      predictedTokens: 0,
      slot: -1,
      isAborted: true,
    })
    this.counts.aborted += 1
  }
}

/** The recorded model's, from what `--slot-save-path` wrote for one token. */
const tokenBytes = 23_552

import type { Llama, LlamaContextSequence, Token } from 'node-llama-cpp'

/** Tokens per step: a stop waits for one step at most, and each step reports the progress. */
export const stepTokens = 128
/** Steps after which the slower number of threads is tried again, since other programs come and go. */
const stepsUntilTrial = 24

/** Numbers of threads: every core, and what the engine uses for all else. */
type Threads = { all: number; usual: number }
type Reader = Pick<LlamaContextSequence, 'nextTokenIndex' | 'evaluateWithoutGeneratingNewTokens'>

/**
 * Processes prompts on every core or with the usual number of threads, whichever is faster at present: on two
 * cores, both take 0.6 of the time of one on a quiet machine, and up to three times its time beside busy programs.
 */
export class PromptReading {
  readonly #llama: Pick<Llama, 'maxThreads'>
  readonly #threads: Threads
  readonly #now: () => number
  /** Units: ms for a token. */
  readonly #cost: Record<keyof Threads, number | null> = { all: null, usual: null }
  #stepsSinceTrial = 0
  #isWarm = false

  constructor(llama: Pick<Llama, 'maxThreads'>, threads: Threads, now = () => performance.now()) {
    this.#llama = llama
    this.#threads = threads
    this.#now = now
  }

  /** Processes the tokens that the sequence lacks; yields the share that is done before each step. Ends at an abort. */
  async *read(
    sequence: Reader,
    tokens: readonly Token[],
    signal: AbortSignal,
  ): AsyncGenerator<number, void, void> {
    const start = sequence.nextTokenIndex
    try {
      for (let from = start; from < tokens.length && !signal.aborted; from += stepTokens) {
        yield (from - start) / (tokens.length - start)
        await this.#step(sequence, tokens.slice(from, from + stepTokens))
      }
    } finally {
      this.#llama.maxThreads = this.#threads.usual
    }
  }

  async #step(sequence: Reader, tokens: Token[]): Promise<void> {
    // Fewer tokens cost more each, so that only whole steps are compared.
    const isCompared = tokens.length === stepTokens && this.#threads.all !== this.#threads.usual
    const choice = this.#choose()
    this.#llama.maxThreads = this.#threads[choice]
    const from = this.#now()
    await sequence.evaluateWithoutGeneratingNewTokens(tokens)
    if (!isCompared) return
    // The first step also reads the model from the disk.
    const isFirst = !this.#isWarm
    this.#isWarm = true
    if (isFirst) return
    this.#stepsSinceTrial = choice === this.#faster() ? this.#stepsSinceTrial + 1 : 0
    this.#cost[choice] = (this.#now() - from) / tokens.length
  }

  #choose(): keyof Threads {
    if (this.#cost.all === null) return 'all'
    if (this.#cost.usual === null) return 'usual'
    const faster = this.#faster()
    if (this.#stepsSinceTrial < stepsUntilTrial) return faster
    return faster === 'all' ? 'usual' : 'all'
  }

  #faster(): keyof Threads {
    const { all, usual } = this.#cost
    return usual !== null && all !== null && usual < all ? 'usual' : 'all'
  }
}

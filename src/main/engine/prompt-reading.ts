import type { Llama, LlamaContextSequence, Token } from 'node-llama-cpp'

/** Tokens per step: a stop waits for one step at most, and each step reports the progress. */
export const stepTokens = 128
/** Steps after which the slower number of threads is tried again, since other programs come and go. */
const stepsUntilTrial = 24

/** Numbers of threads: every core, and what the engine uses for all else. */
type Threads = { all: number; usual: number }
type Reader = Pick<LlamaContextSequence, 'nextTokenIndex' | 'evaluateWithoutGeneratingNewTokens'>

export type PromptReading = ReturnType<typeof createPromptReading>

/**
 * Processes prompts on every core or with the usual number of threads, whichever is faster at present: on two
 * cores, both take 0.6 of the time of one on a quiet machine, and up to three times its time beside busy programs.
 */
export function createPromptReading(
  llama: Pick<Llama, 'maxThreads'>,
  threads: Threads,
  now = () => performance.now(),
) {
  /** Units: ms for a token. */
  const cost: Record<keyof Threads, number | null> = { all: null, usual: null }
  let stepsSinceTrial = 0
  let isWarm = false

  function faster(): keyof Threads {
    const { all, usual } = cost
    return usual !== null && all !== null && usual < all ? 'usual' : 'all'
  }

  function choose(): keyof Threads {
    if (cost.all === null) return 'all'
    if (cost.usual === null) return 'usual'
    if (stepsSinceTrial < stepsUntilTrial) return faster()
    return faster() === 'all' ? 'usual' : 'all'
  }

  async function step(sequence: Reader, tokens: Token[]): Promise<void> {
    // Fewer tokens cost more each, so that only whole steps are compared.
    const isCompared = tokens.length === stepTokens && threads.all !== threads.usual
    const choice = choose()
    llama.maxThreads = threads[choice]
    const from = now()
    await sequence.evaluateWithoutGeneratingNewTokens(tokens)
    if (!isCompared) return
    // The first step also reads the model from the disk.
    const isFirst = !isWarm
    isWarm = true
    if (isFirst) return
    stepsSinceTrial = choice === faster() ? stepsSinceTrial + 1 : 0
    cost[choice] = (now() - from) / tokens.length
  }

  /** Processes the tokens that the sequence lacks; yields the share that is done before each step. Ends at an abort. */
  async function* read(
    sequence: Reader,
    tokens: readonly Token[],
    signal: AbortSignal,
  ): AsyncGenerator<number, void, void> {
    const start = sequence.nextTokenIndex
    try {
      for (let from = start; from < tokens.length && !signal.aborted; from += stepTokens) {
        yield (from - start) / (tokens.length - start)
        await step(sequence, tokens.slice(from, from + stepTokens))
      }
    } finally {
      llama.maxThreads = threads.usual
    }
  }

  return { read }
}

import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import {
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
} from 'node-llama-cpp'
import type { CompletionEnd } from '../../shared/domain/model/model-status.ts'
import { AppError } from '../../shared/errors.ts'
import { serve } from '../../shared/rpc/serve.ts'
import type { HostPort } from '../../shared/wire.ts'
import type { Log } from '../deps.ts'
import { RequestQueue } from '../models/completion/request-queue.ts'
import { StopCutter } from '../models/completion/stop-cutter.ts'
import { type EngineEvent, type EngineModel, type EngineRequest, engineContract } from './engine-contract.ts'
import { nextWords } from './next-words.ts'
import { createPromptReading, type PromptReading } from './prompt-reading.ts'
import { samplingOptions } from './sampling.ts'
import { createSequencePool, type SequencePool, sequenceStates } from './sequence-pool.ts'
import { stateFiles } from './state-files.ts'
import {
  longestCharacterTokens,
  singleTokens,
  tokenizePieces,
  tokenizePrompt,
  tokenText,
} from './tokenizer.ts'

type Segment = EngineRequest['segments'][number]
type Loaded = {
  llama: Llama
  model: LlamaModel
  reading: PromptReading
  pool: SequencePool
  contextTokens: number
  info: EngineModel
}

/** Default context size: the size in the model file may need more memory than the machine has. */
const usualContextTokens = 8_192
/** Time without a request after which the conversations are saved, in case the process ends abnormally. */
const usualQuietMs = 20_000

const cores = availableParallelism()
/**
 * Number of threads for everything but reading a prompt (`PromptReading`).
 *
 * Leaves one core to the window and all other work, on two cores too: threads that share a core wait for each other at
 * every step. Measured on two cores: 73 tokens/s with two threads and 41 with one on a quiet machine, but
 * 1 with two and 54 with one on a busy one.
 *
 * Source: docs/performance.md, "model".
 */
const usualThreads = Math.max(1, cores - 1)

/** Loads the packaged llama.cpp, on the graphics processor where there is one. */
export function loadLlama(): Promise<Llama> {
  return getLlama({
    build: 'never',
    gpu: 'auto',
    maxThreads: usualThreads,
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
  })
}

/**
 * The embedded llama.cpp engine: one model, its tokenizer, and completions that keep their prompt cache.
 *
 * Source: node-llama-cpp 3.21, as measured on few cores.
 */
export class LlamaEngine {
  #loaded: Loaded | null = null
  readonly #turns = new RequestQueue()
  readonly #stops = new Map<number, AbortController>()
  readonly #log: Pick<Log, 'write'>
  readonly #options: { quietMs?: number; load?: () => Promise<Llama> }
  #quietTimer: NodeJS.Timeout | undefined

  constructor(log: Pick<Log, 'write'>, options: { quietMs?: number; load?: () => Promise<Llama> } = {}) {
    this.#log = log
    this.#options = options
  }

  /** `statesDir`: where conversations are saved between processes; null: nowhere. */
  async load(file: string, contextTokens: number | null, statesDir: string | null): Promise<EngineModel> {
    await this.unload()
    try {
      const llama = await (this.#options.load ?? loadLlama)()
      const model = await llama.loadModel({ modelPath: file })
      const wanted = contextTokens ?? Math.min(model.trainContextSize, usualContextTokens)
      const create = () => {
        // No context ever takes more threads than the limit at its creation. Reading sets the limit anew.
        llama.maxThreads = cores
        return model.createContext({
          sequences: 1,
          contextSize: { min: Math.min(256, wanted), max: wanted },
          threads: { ideal: cores, min: 1 },
          // Without it a model with sliding-window attention reads its whole prompt again at each rollback.
          swaFullCache: true,
        })
      }
      const { size, mtimeMs } = await stat(file)
      const identity = [size, mtimeMs, llama.llamaCppRelease.release, llama.gpu, wanted].join()
      const files = statesDir === null ? null : stateFiles(statesDir, { file, identity })
      const pool = createSequencePool(create, files && sequenceStates(files, this.#log))
      // Creates the first context now, since the memory decides how large this model's context window is.
      const contextSize = await pool.prepare()
      const info = {
        modelName: model.fileInfo.metadata.general.name ?? null,
        contextTokens: Math.min(contextSize, wanted),
        threads: usualThreads,
      }
      const reading = createPromptReading(llama, { all: cores, usual: usualThreads })
      this.#loaded = { llama, model, reading, pool, contextTokens: info.contextTokens, info }
      return info
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError({ code: 'model/bad-file', path: file, reason }, { cause: error })
    }
  }

  async unload(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = null
    clearTimeout(this.#quietTimer)
    await loaded?.pool.dispose()
    await loaded?.model.dispose()
  }

  count(segments: readonly Segment[], isPiece: boolean): number {
    const { model } = this.#current()
    return isPiece ? tokenizePieces(model, segments).length : tokenizePrompt(model, segments).length
  }

  stats(): { sequences: number; rssBytes: number } {
    return { sequences: this.#loaded?.pool.size ?? 0, rssBytes: process.memoryUsage.rss() }
  }

  /** Runs one request at a time: one that was cancelled may still be in the middle of a step. */
  async *complete(request: EngineRequest, signal: AbortSignal): AsyncGenerator<EngineEvent, void, void> {
    const stop = new AbortController()
    this.#stops.set(request.id, stop)
    let leave: (() => void) | undefined
    try {
      leave = await this.#turns.enter('foreground', signal)
      yield* this.#run(request, AbortSignal.any([signal, stop.signal]))
    } finally {
      this.#stops.delete(request.id)
      leave?.()
      this.#saveWhenQuiet()
    }
  }

  /** Returns the likeliest words after a prompt, which stays in the conversation's cache for its next request. */
  words(segments: readonly Segment[], conversation: string, signal: AbortSignal) {
    return this.#turns.run('foreground', signal, async () => {
      const { model, reading, pool } = this.#current()
      const prompt = this.#fitting(segments, longestCharacterTokens)
      const sequence = await pool.take(conversation, prompt)
      return nextWords({ model, reading, sequence, prompt }, signal)
    })
  }

  stop(id: number): void {
    this.#stops.get(id)?.abort()
  }

  /**
   * Saves the conversations whose prompts would take long to process again, the latest first; requests run in between.
   * `isEnding`: saves also small changes, since this process is about to end.
   */
  async save(isEnding: boolean, signal: AbortSignal): Promise<void> {
    const pool = this.#loaded?.pool
    if (pool === undefined) return
    for (const conversation of pool.conversations.toReversed()) {
      await this.#turns.run('background', signal, () => pool.save(conversation, isEnding))
    }
  }

  #saveWhenQuiet(): void {
    clearTimeout(this.#quietTimer)
    const save = () => void this.save(false, new AbortController().signal)
    this.#quietTimer = setTimeout(save, this.#options.quietMs ?? usualQuietMs)
    this.#quietTimer.unref()
  }

  async *#run(request: EngineRequest, signal: AbortSignal): AsyncGenerator<EngineEvent, void, void> {
    const { llama, model, reading, pool } = this.#current()
    const prompt = this.#fitting(request.segments, request.maxTokens)
    const sequence = await pool.take(request.conversation, prompt)
    const options = await samplingOptions({ llama, model }, request, sequence)
    const meter = sequence.tokenMeter.getState()
    let isSampling = false
    const done = (stopReason: CompletionEnd, written: number): EngineEvent => ({
      type: 'done',
      stopReason,
      promptTokens: prompt.length,
      // The meter leaves out the last one, whose evaluation is counted with the output.
      readTokens: sequence.tokenMeter.diff(meter).usedInputTokens + (isSampling ? 1 : 0),
      completionTokens: written,
    })

    const allButLast = prompt.slice(0, -1)
    await sequence.adaptStateToTokens(allButLast, false)
    for await (const progress of reading.read(sequence, allButLast, signal))
      yield { type: 'reading', progress }
    if (signal.aborted) return yield done('aborted', 0)
    yield { type: 'reading', progress: 1 }

    const stopTokens = singleTokens(model, request.stops)
    const cutter = new StopCutter(request.stops)
    const spoken = tokenText(model, prompt)
    let written = 0
    /** Probability of the tokens of a character that is not complete yet. */
    let begunShare = 1
    isSampling = true
    // The prompt's last token is evaluated here, so that there is something to sample from.
    for await (const { token, share } of sampled(sequence, prompt, options, request.tellsChances === true)) {
      written += 1
      if (signal.aborted) return yield* ended(cutter, done('aborted', written))
      if (stopTokens.has(token)) return yield* ended(cutter, done('stop-sequence', written))
      const said = spoken(token)
      if (share !== null) {
        begunShare *= share
        if (said !== '') {
          yield { type: 'chance', text: said, share: begunShare }
          begunShare = 1
        }
      }
      const text = cutter.push(said)
      if (text !== '') yield { type: 'text', text }
      if (cutter.isCut) return yield done('stop-sequence', written)
      if (written >= request.maxTokens) return yield* ended(cutter, done('length', written))
    }
    yield* ended(cutter, done(signal.aborted ? 'aborted' : 'stop', written))
  }

  /** Returns the tokens of a prompt. Errors: `model/context-overflow` where the answer has no room behind it. */
  #fitting(segments: readonly Segment[], answerTokens: number): Token[] {
    const { model, contextTokens: limitTokens } = this.#current()
    const prompt = tokenizePrompt(model, segments)
    const usedTokens = prompt.length + answerTokens
    if (usedTokens > limitTokens)
      throw new AppError({ code: 'model/context-overflow', usedTokens, limitTokens })
    return prompt
  }

  #current(): Loaded {
    if (this.#loaded === null) throw new AppError({ code: 'model/none' })
    return this.#loaded
  }
}

/** Generates the answer token by token. Shape: `share` is the token's probability, null unless the request asks for it. */
async function* sampled(
  sequence: LlamaContextSequence,
  prompt: Token[],
  options: SequenceEvaluateOptions,
  tellsChances: boolean,
): AsyncGenerator<{ token: Token; share: number | null }, void, void> {
  const last = prompt.slice(-1)
  if (tellsChances) {
    const told = sequence.evaluateWithMetadata(last, { confidence: true }, options)
    for await (const { token, confidence } of told) yield { token, share: confidence }
  } else for await (const token of sequence.evaluate(last, options)) yield { token, share: null }
}

/** Yields the text that the cutter still holds, then the end. */
function* ended(cutter: StopCutter, done: EngineEvent): Generator<EngineEvent, void, void> {
  const rest = cutter.flush()
  if (rest !== '') yield { type: 'text', text: rest }
  yield done
}

/** Answers the engine contract on a port. */
export function serveEngine(port: HostPort, engine: LlamaEngine, log: Log): void {
  serve(
    port,
    engineContract,
    {
      'engine.load': ({ file, contextTokens, statesDir }) => engine.load(file, contextTokens, statesDir),
      'engine.count': async ({ segments, isPiece }) => ({ tokens: engine.count(segments, isPiece) }),
      'engine.complete': (request, { signal }) => engine.complete(request, signal),
      'engine.words': ({ segments, conversation }, { signal }) =>
        engine.words(segments, conversation, signal),
      'engine.stop': async ({ id }) => {
        engine.stop(id)
        return {}
      },
      'engine.save': async (_input, { signal }) => {
        await engine.save(true, signal)
        return {}
      },
      'engine.stats': async () => engine.stats(),
    },
    { log },
  )
}

import type { ClientOf } from '../../shared/contract/method.ts'
import { unlessAborted } from '../../shared/delay.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import { connect } from '../../shared/rpc/connect.ts'
import { shownModelName } from '../../shared/text/model-name.ts'
import type { ClientPort } from '../../shared/wire.ts'
import type { Deps, Worker } from '../deps.ts'
import { type EngineEvent, type EngineModel, type EngineRequest, engineContract } from './engine-contract.ts'

export type EngineProcessOptions = {
  file: string
  /** Absent: the engine's usual size, as far as the file and memory allow. */
  contextTokens: number | undefined
  /** Ends the process after this long without a request; absent: never. */
  idleUnloadMs?: number
  /** Absolute path of a folder where conversations outlive the process; absent: they do not. */
  statesDir?: string
  /**
   * Checks the file before the process opens it, and returns its size. Units: bytes.
   *
   * Errors: `model/bad-file`, `file/not-found`.
   */
  checkFile?(file: string): Promise<{ sizeBytes: number }>
}

/** `asleep`: no process; the next request starts one. `crashed`: it died twice and waits for `revive`. */
type EngineState = 'asleep' | 'loading' | 'ready' | 'crashed'

type EngineDeps = Pick<Deps, 'spawnWorker' | 'clock' | 'log'>
type Client = ClientOf<typeof engineContract>
type Session = { worker: Worker; client: Client; model: Promise<EngineModel> }

/** Deaths in a row after which no further start is tried. */
const mostDeaths = 2
/** Time limit of saving before the process ends; shorter where the host itself ends. */
const saveMs = 5_000
const lastSaveMs = 1_200
/** Time in which a process may end by itself after its channel is closed. */
const goneMs = 2_000
const lastGoneMs = 500
/** Time limit of loading: a start, and the file read from a slow disk. Units: milliseconds, bytes per millisecond. */
const loadMs = 120_000
const slowDiskBytesPerMs = 20_000
/** Time in which a stopped request may still send its last event. */
const stopMs = 1_000

/**
 * The host's side of the engine: starts its process when it is first needed, starts it again once after a
 * crash, and ends it when it is idle or no longer wanted.
 *
 * Errors: `model/engine-crashed` for requests that were open when the process died; `model/replaced` for those that
 * were open when the engine was disposed of, and for later ones; `model/bad-file`.
 */
export class EngineProcess {
  readonly #deps: EngineDeps
  readonly #options: EngineProcessOptions
  readonly #listeners = new Set<(state: EngineState, error: AppError | null) => void>()
  #session: Session | null = null
  #state: EngineState = 'asleep'
  #deaths = 0
  #openRequests = 0
  #lastId = 0
  #idleTimer: { cancel(): void } | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #isLast = false

  constructor(deps: EngineDeps, options: EngineProcessOptions) {
    this.#deps = deps
    this.#options = options
  }

  get state(): EngineState {
    return this.#state
  }

  get pid(): number | undefined {
    return this.#session?.worker.pid
  }

  /** `error`: the cause of an unexpected change of state; null for a requested one. */
  onState(listener: (state: EngineState, error: AppError | null) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the model unless it is loaded. */
  model(signal: AbortSignal): Promise<EngineModel> {
    return this.#use(signal, async (_client, model) => model)
  }

  async count(segments: EngineRequest['segments'], isPiece: boolean, signal: AbortSignal): Promise<number> {
    const ask = (client: Client) => client['engine.count']({ segments, isPiece }, { signal })
    return (await this.#use(signal, ask)).tokens
  }

  async words(segments: EngineRequest['segments'], conversation: string, signal: AbortSignal) {
    return this.#use(signal, (client) => client['engine.words']({ segments, conversation }, { signal }))
  }

  async stats(signal: AbortSignal) {
    return this.#use(signal, (client) => client['engine.stats']({}, { signal }))
  }

  /** A stop (the signal) ends it with `done`, too, unless the engine is still processing a prompt. */
  async *complete(
    request: Omit<EngineRequest, 'id'>,
    signal: AbortSignal,
  ): AsyncGenerator<EngineEvent, void, void> {
    for (;;) {
      let hasBegun = false
      const session = this.#enter()
      try {
        for await (const event of this.#stream(session, request, signal)) {
          hasBegun = true
          yield event
        }
        return
      } catch (error) {
        const named = this.#named(error, session)
        if (hasBegun || !this.#isWorthAnotherTry(named)) throw named
      } finally {
        this.#leave()
      }
    }
  }

  /** Forgets the crashes: the user wants another try. */
  revive(): void {
    this.#deaths = 0
    if (this.#state === 'crashed') this.#become('asleep')
  }

  async dispose(): Promise<void> {
    this.#idleTimer?.cancel()
    this.#isLast = true
    this.#end()
    await this.#ended
    this.#listeners.clear()
  }

  async #use<T>(signal: AbortSignal, work: (client: Client, model: EngineModel) => Promise<T>): Promise<T> {
    for (;;) {
      const session = this.#enter()
      try {
        return await work(session.client, await unlessAborted(session.model, signal))
      } catch (error) {
        const named = this.#named(error, session)
        if (!this.#isWorthAnotherTry(named)) throw named
      } finally {
        this.#leave()
      }
    }
  }

  async *#stream(session: Session, request: Omit<EngineRequest, 'id'>, signal: AbortSignal) {
    const cut = new AbortController()
    this.#lastId += 1
    const id = this.#lastId
    let timer: { cancel(): void } | undefined
    const stop = () => {
      session.client['engine.stop']({ id }).catch((error) => cut.abort(error))
      timer = this.#deps.clock.setTimeout(() => cut.abort(signal.reason), stopMs)
    }
    try {
      await unlessAborted(session.model, signal)
      signal.addEventListener('abort', stop, { once: true })
      const events = session.client['engine.complete']({ ...request, id }, { signal: cut.signal })
      for await (const event of events) {
        yield event
        if (event.type === 'done') this.#deaths = 0
      }
    } finally {
      timer?.cancel()
      signal.removeEventListener('abort', stop)
    }
  }

  #enter(): Session {
    this.#idleTimer?.cancel()
    if (this.#isLast) throw this.#replaced()
    if (this.#deaths >= mostDeaths) throw this.#crashed()
    const session = this.#session ?? this.#start()
    this.#openRequests += 1
    return session
  }

  #leave(): void {
    this.#openRequests -= 1
    const { idleUnloadMs } = this.#options
    if (this.#openRequests > 0 || idleUnloadMs === undefined || this.#isLast) return
    this.#idleTimer = this.#deps.clock.setTimeout(() => this.#end(), idleUnloadMs)
  }

  #start(): Session {
    const worker = this.#deps.spawnWorker('engine', {})
    const client = connect(worker.port as ClientPort, engineContract)
    const model = this.#load(client, worker)
    const session: Session = { worker, client, model }
    this.#session = session
    this.#become('loading')
    model.then(
      () => this.#session === session && this.#become('ready'),
      (error) => {
        // A file that cannot be loaded is not a crash; the next request tries again in a new process.
        if (this.#session === session && !isAppError(error, 'rpc/closed')) this.#end()
      },
    )
    void worker.exited.then(({ code, signal }) => {
      this.#deps.log.write('info', 'engine.exited', { code, signal })
      this.#died(session)
    })
    return session
  }

  /** Loads with a time limit: a file can keep the engine busy for ever, and only killing the process stops that. */
  async #load(client: Client, worker: Worker): Promise<EngineModel> {
    const { file, contextTokens = null, statesDir = null, checkFile } = this.#options
    const { sizeBytes } = (await checkFile?.(file)) ?? { sizeBytes: 0 }
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = this.#deps.clock.setTimeout(
      () => {
        reject(new AppError({ code: 'model/bad-file', path: file, reason: 'loading does not end' }))
        worker.kill()
      },
      loadMs + sizeBytes / slowDiskBytesPerMs,
    )
    try {
      return await Promise.race([client['engine.load']({ file, contextTokens, statesDir }), late])
    } finally {
      timer.cancel()
    }
  }

  /** Handles a crash; called by an open request or at the process's end, whichever notices it first. */
  #died(session: Session): void {
    if (this.#session !== session) return
    this.#session = null
    this.#deaths += 1
    this.#deps.log.write('error', 'engine.crashed', { deaths: this.#deaths })
    this.#become(this.#deaths >= mostDeaths ? 'crashed' : 'asleep', this.#crashed())
  }

  /** An end that we asked for is no crash: the session is forgotten before its process goes. */
  #end(): void {
    const session = this.#session
    if (session === null) return
    // Does not wait for open requests.
    const isReady = this.#state === 'ready'
    const canSave = isReady && this.#openRequests === 0
    this.#session = null
    this.#become('asleep')
    this.#ended = Promise.all([this.#ended, this.#endSession(session, isReady, canSave)])
  }

  async #endSession(session: Session, isReady: boolean, canSave: boolean): Promise<void> {
    if (canSave) await this.#save(session)
    session.worker.port.close()
    // A process that is loading has nothing to save, and may not notice that its channel is closed.
    if (!isReady) session.worker.kill()
    const timer = this.#deps.clock.setTimeout(() => session.worker.kill(), this.#isLast ? lastGoneMs : goneMs)
    await session.worker.exited
    timer.cancel()
  }

  /** Saves the conversations; the prompts of those that are not saved in time are processed again when needed. */
  async #save(session: Session): Promise<void> {
    const cut = new AbortController()
    const timer = this.#deps.clock.setTimeout(() => cut.abort(), this.#isLast ? lastSaveMs : saveMs)
    try {
      await session.client['engine.save']({}, { signal: cut.signal })
    } catch (error) {
      this.#deps.log.write('warn', 'engine.not-saved', { error: String(error) })
    } finally {
      timer.cancel()
    }
  }

  #named(error: unknown, session: Session): unknown {
    if (!isAppError(error, 'rpc/closed')) return error
    if (this.#isLast) return this.#replaced(error)
    this.#died(session)
    return this.#crashed(error)
  }

  /** True for the one restart, after the process died without having answered. */
  #isWorthAnotherTry(error: unknown): boolean {
    return isAppError(error, 'model/engine-crashed') && this.#deaths < mostDeaths
  }

  #replaced(cause?: unknown): AppError {
    return new AppError({ code: 'model/replaced', modelName: shownModelName(this.#options.file) }, { cause })
  }

  #crashed(cause?: unknown): AppError {
    return new AppError({ code: 'model/engine-crashed', modelFile: this.#options.file }, { cause })
  }

  #become(state: EngineState, error: AppError | null = null): void {
    this.#state = state
    for (const listener of this.#listeners) listener(state, error)
  }
}

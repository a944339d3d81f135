import { parentPort, Worker, workerData } from 'node:worker_threads'

/** Units: `ms` from the moment when the script is loaded; `mb` of the JavaScript heap, without the bytes of buffers. */
export type ThreadLimits = { ms: number; mb: number }

/** The thread exceeded its limit of time, memory or stack and was ended without an answer. */
export class ThreadLimitError extends Error {}

const moduleScript = `import(require('node:worker_threads').workerData.moduleUrl)`

/**
 * Runs a module in its own thread, which can be ended when the module does not end by itself.
 *
 * Shape: the module must call `answerThread`, whose function receives `given`.
 * Errors: `ThreadLimitError`; the signal's reason; what the module throws.
 */
export async function runModule<T>(
  moduleUrl: string,
  given: unknown,
  { ms, mb }: ThreadLimits,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  const worker = new Worker(moduleScript, {
    eval: true,
    workerData: { moduleUrl, given },
    resourceLimits: { maxOldGenerationSizeMb: mb },
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop: (() => void) | undefined
  try {
    return await new Promise<T>((done, failed) => {
      // A busy machine takes seconds to start a thread and to load its modules; the limit does not include them.
      worker.once('message', () => {
        timer = setTimeout(() => failed(new ThreadLimitError(`more than ${ms} ms`)), ms)
        worker.once('message', done)
      })
      stop = () => failed(signal?.reason)
      signal?.addEventListener('abort', stop)
      worker.once('error', (error) => failed(limitOrError(error)))
      worker.once('exit', (code) => failed(new Error(`a thread ended with ${code}`)))
    })
  } finally {
    // A thread that is loaded only now must not set the timer anew.
    worker.removeAllListeners('message')
    clearTimeout(timer)
    if (stop !== undefined) signal?.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

/** A thread that answers one question after another. `end` may be called more than once. */
export type AskedThread = ReturnType<typeof startThread>

/**
 * Starts a thread that is asked again and again.
 *
 * Shape: `script` is CommonJS; it posts `null` when it is loaded, and then one answer to each message.
 */
export function startThread(script: string, { ms, mb }: ThreadLimits) {
  const worker = new Worker(script, { eval: true, resourceLimits: { maxOldGenerationSizeMb: mb } })
  const ended = new Promise<never>((_, failed) => {
    worker.on('error', (error) => failed(limitOrError(error)))
    worker.once('exit', (code) => failed(new Error(`a thread ended with ${code}`)))
  })
  // Prevents an unhandled rejection while no question waits for this promise.
  ended.catch(() => undefined)
  const nextMessage = () => new Promise<unknown>((done) => void worker.once('message', done))
  const loaded = nextMessage()
  const end = async () => void (await worker.terminate())
  return {
    /** Errors: as of `runModule`; the thread has then ended. The limit of time holds for each question. */
    async ask(question: unknown): Promise<unknown> {
      let timer: ReturnType<typeof setTimeout> | undefined
      try {
        // A busy machine takes seconds to start a thread; the limit does not include them.
        await Promise.race([loaded, ended])
        const isOver = new Promise<never>((_, failed) => {
          timer = setTimeout(() => failed(new ThreadLimitError(`more than ${ms} ms`)), ms)
        })
        const answer = nextMessage()
        worker.postMessage(question)
        return await Promise.race([answer, ended, isOver])
      } catch (error) {
        await end()
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
    end,
  }
}

/** Returns the error of a thread; as `ThreadLimitError` where it exceeded its memory or its stack. */
function limitOrError(error: Error): Error {
  // A stack overflow is a RangeError.
  const isTooMuch =
    error instanceof RangeError || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
  return isTooMuch ? new ThreadLimitError(error.message) : error
}

/**
 * Runs `work` and posts its answer in a thread that `runModule` started with `moduleUrl`; does nothing elsewhere.
 * Modules call it themselves, since a bundler would leave out a module that only a thread imports.
 */
export async function answerThread<In>(moduleUrl: string, work: (given: In) => unknown): Promise<void> {
  const begun = workerData as { moduleUrl?: string; given: In } | null
  if (begun?.moduleUrl !== moduleUrl) return
  parentPort?.postMessage(null)
  parentPort?.postMessage(await work(begun.given))
}

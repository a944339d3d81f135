import { Worker } from 'node:worker_threads'

/** Units: `ms` from the moment when the script is loaded; `mb` of the JavaScript heap, without the bytes of buffers. */
export type ThreadLimits = { ms: number; mb: number }

/** The thread exceeded its limit of time, memory or stack and was ended without an answer. */
export class ThreadLimitError extends Error {}

/**
 * Runs a script in its own thread, which can be ended when the script does not end by itself.
 *
 * Shape: `script` is CommonJS; it posts `null` when it is loaded, and then the answer.
 * Errors: `ThreadLimitError`; the signal's reason; what the script throws.
 */
export async function runInThread<T>(
  script: string,
  workerData: unknown,
  { ms, mb }: ThreadLimits,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  const worker = new Worker(script, {
    eval: true,
    workerData,
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
      // A stack overflow is a RangeError.
      worker.once('error', (error) => {
        const isTooMuch =
          error instanceof RangeError || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        failed(isTooMuch ? new ThreadLimitError(error.message) : error)
      })
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

/** Runs a module in its own thread. The module must call `answerThread`, whose function receives `given`. */
export function runModule<T>(
  moduleUrl: string,
  given: unknown,
  limits: ThreadLimits,
  signal?: AbortSignal,
): Promise<T> {
  return runInThread(moduleScript, { moduleUrl, given }, limits, signal)
}

const moduleScript = `import(require('node:worker_threads').workerData.moduleUrl)`

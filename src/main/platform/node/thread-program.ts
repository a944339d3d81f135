import { parentPort, workerData } from 'node:worker_threads'

/**
 * Makes the module that calls it the program of threads that `runModule` begins for its address; elsewhere nothing
 * happens. A bundler would leave out a module that only a thread imports.
 */
export async function answerThread<In>(moduleUrl: string, work: (given: In) => unknown): Promise<void> {
  const begun = workerData as { moduleUrl?: string; given: In } | null
  if (begun?.moduleUrl === moduleUrl) parentPort?.postMessage(await work(begun.given))
}

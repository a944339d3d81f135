import { parentPort, workerData } from 'node:worker_threads'

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

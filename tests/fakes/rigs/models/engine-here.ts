import type { Llama } from 'node-llama-cpp'
import type { SpawnWorker } from '../../../../src/main/deps.ts'
import { LlamaEngine, loadLlama, serveEngine } from '../../../../src/main/engine/llama-engine.ts'
import { memoryPorts } from '../../memory-ports.ts'
import { silentLog } from '../../silent-log.ts'

let llama: Promise<Llama> | undefined

/** llama.cpp, loaded once for all tests of this process: each load costs half a second of the processor's time. */
export function sharedLlama(): Promise<Llama> {
  llama ??= loadLlama()
  return llama
}

/**
 * Starts the real engine in the process of the test, for tests that are not about the engine's process. Nothing
 * of one engine is left to the next but what it saved.
 */
export const startEngineHere: SpawnWorker = () => {
  const { client, host } = memoryPorts()
  const engine = new LlamaEngine(silentLog, { load: sharedLlama })
  const exited = Promise.withResolvers<{ code: number | null; signal: string | null }>()
  serveEngine(host, engine, silentLog)
  host.onClose(() => {
    void engine.unload().finally(() => exited.resolve({ code: 0, signal: null }))
  })
  return { port: client, exited: exited.promise, kill: () => client.close(), pid: undefined }
}

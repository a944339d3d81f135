import type { UtilityProcess, utilityProcess } from 'electron'
import type { SpawnWorker, Worker } from '../src/main/deps.ts'
import { createCloseSignal } from '../src/shared/rpc/close-signal.ts'
import type { Frame } from '../src/shared/wire.ts'

export type EngineProcessOptions = {
  fork: typeof utilityProcess.fork
  /** Absolute paths of the bundles that run in a child. */
  entries: Record<Parameters<SpawnWorker>[0], string>
  env: Record<string, string | undefined>
}

/**
 * Starts workers in Electron's utility processes, so that a native crash ends the child only.
 *
 * Shape: the worker's port closes when the child ends. Electron gives no signal, only a code.
 */
export function createSpawnWorker(options: EngineProcessOptions): SpawnWorker {
  return (entry, { env }) => {
    const child = options.fork(options.entries[entry], [], {
      serviceName: `Tsugi ${entry}`,
      env: { ...options.env, ...env },
      stdio: 'inherit',
    })
    return workerOf(child)
  }
}

function workerOf(child: UtilityProcess): Worker {
  const closing = createCloseSignal()
  const exited = new Promise<Awaited<Worker['exited']>>((resolve) => {
    child.once('exit', (code) => resolve({ code, signal: null }))
  })
  void exited.then(closing.fire)
  const kill = () => void child.kill()
  return {
    exited,
    kill,
    get pid() {
      return child.pid
    },
    port: {
      send(frame: Frame) {
        if (!closing.isClosed) child.postMessage(frame)
      },
      onFrame: (listener) => void child.on('message', (frame: Frame) => listener(frame)),
      onClose: closing.onClose,
      close: kill,
      bufferedBytes: () => 0,
    },
  }
}

import type { UtilityProcess, utilityProcess } from 'electron'
import type { SpawnWorker, Worker } from '../src/main/deps.ts'
import { type BinaryTestReport, isBinaryTestRequest } from '../src/shared/binary-test.ts'
import { createCloseSignal } from '../src/shared/rpc/close-signal.ts'
import type { Frame } from '../src/shared/wire.ts'

export type EngineProcessOptions = {
  fork: typeof utilityProcess.fork
  /** Absolute paths of the bundles that run in a child. */
  entries: Record<Parameters<SpawnWorker>[0], string>
  /** Absolute path of node-llama-cpp's test of a native binary, the only file that a worker may have run beside it. */
  binaryTest: string
  env: Record<string, string | undefined>
}

/** Starts workers in utility processes, so that a crash ends the child only; their port then closes. */
export function createSpawnWorker(options: EngineProcessOptions): SpawnWorker {
  return (entry, { env }) => {
    const child = options.fork(options.entries[entry], [], {
      serviceName: `Tsugi ${entry}`,
      env: { ...options.env, ...env },
      stdio: 'inherit',
    })
    runBinaryTests(child, options)
    return workerOf(child)
  }
}

/** Runs the tests of native binaries that the worker asks for, and ends them with it. */
function runBinaryTests(worker: UtilityProcess, options: EngineProcessOptions): void {
  const tests = new Map<number, UtilityProcess>()
  const report = (message: BinaryTestReport) => worker.postMessage(message)

  function start(id: number): void {
    const test = options.fork(options.binaryTest, [], {
      serviceName: 'Tsugi binary test',
      env: { ...options.env, TEST_BINDING_CP: 'true' },
      stdio: 'ignore',
    })
    tests.set(id, test)
    test.on('message', (message: unknown) => report({ binaryTest: 'message', id, message }))
    test.once('exit', (code) => {
      tests.delete(id)
      report({ binaryTest: 'exit', id, code })
    })
  }

  worker.on('message', (message: unknown) => {
    if (!isBinaryTestRequest(message)) return
    if (message.binaryTest === 'start') start(message.id)
    else if (message.binaryTest === 'send') tests.get(message.id)?.postMessage(message.message)
    else tests.get(message.id)?.kill()
  })
  worker.once('exit', () => {
    for (const test of tests.values()) test.kill()
  })
}

function workerOf(child: UtilityProcess): Worker {
  const closing = createCloseSignal()
  const exited = new Promise<Awaited<Worker['exited']>>((resolve) => {
    child.once('exit', (code) => resolve({ code, signal: null }))
  })
  void exited.then(closing.fire)
  // Electron only asks a child to end, and a hanging child does not react. This kills it when the exit is forced.
  const killAtEnd = (): void => {
    try {
      if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
  process.once('exit', killAtEnd)
  void exited.then(() => process.off('exit', killAtEnd))
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
      onFrame: (listener) =>
        void child.on('message', (message: unknown) => {
          if (!isBinaryTestRequest(message)) listener(message as Frame)
        }),
      onClose: closing.onClose,
      close: kill,
      bufferedBytes: () => 0,
    },
  }
}

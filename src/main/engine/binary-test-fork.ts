import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { type BinaryTestRequest, isBinaryTestReport } from '../../shared/binary-test.ts'

/** Electron's channel from a utility process to the main process. */
export type ElectronParentPort = {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/**
 * Replaces `fork` in a utility process, where node-llama-cpp forks a process that tests its native binary.
 *
 * A utility process cannot fork: Electron's `utilityProcess` belongs to the main process, and Node's `fork` starts
 * the app's executable, which a packed app runs as a second app. So the main process starts the test.
 * Errors: `fork` of any file other than the test throws.
 */
export function forkBinaryTestsThrough(port: ElectronParentPort): void {
  const forked = new Map<number, ForkedTest>()
  let lastId = 0
  port.on('message', ({ data }) => {
    if (!isBinaryTestReport(data)) return
    const test = forked.get(data.id)
    if (data.binaryTest === 'message') test?.emit('message', data.message)
    else {
      forked.delete(data.id)
      test?.end(data.code)
    }
  })

  function fork(modulePath: string | URL): ForkedTest {
    if (basename(String(modulePath)) !== 'testBindingBinary.js') {
      throw new Error(`The engine's process cannot fork ${modulePath}`)
    }
    lastId += 1
    const test = new ForkedTest(lastId, (request) => port.postMessage(request))
    forked.set(lastId, test)
    port.postMessage({ binaryTest: 'start', id: lastId } satisfies BinaryTestRequest)
    return test
  }

  Object.assign(childProcess, { fork })
  // Modules that imported `fork` by its name see the replacement, too.
  syncBuiltinESMExports()
}

/** The part of Node's `ChildProcess` that the test's parent uses. */
class ForkedTest extends EventEmitter {
  readonly stdout = null
  readonly stderr = null
  exitCode: number | null = null
  killed = false
  readonly #id: number
  readonly #post: (request: BinaryTestRequest) => void

  constructor(id: number, post: (request: BinaryTestRequest) => void) {
    super()
    this.#id = id
    this.#post = post
  }

  send(message: unknown): boolean {
    this.#post({ binaryTest: 'send', id: this.#id, message })
    return true
  }

  kill(): boolean {
    this.killed = true
    this.#post({ binaryTest: 'kill', id: this.#id })
    return true
  }

  end(code: number): void {
    this.exitCode = code
    this.emit('exit', code)
  }
}

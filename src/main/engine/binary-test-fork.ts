import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { type BinaryTestRequest, isBinaryTestReport } from '../../shared/binary-test.ts'
import type { ElectronParentPort } from '../platform/node/process-port.ts'

/**
 * Replaces `fork` in a utility process, where node-llama-cpp forks a process that tests its native binary.
 *
 * A utility process cannot fork: Electron's `utilityProcess` belongs to the main process, and Node's `fork` starts
 * the app's executable, which a packed app runs as a second app. So the main process starts the test.
 * Errors: `fork` of any file other than the test throws.
 */
export function forkBinaryTestsThrough(port: ElectronParentPort): void {
  const forked = new Map<number, ReturnType<typeof fork>>()
  port.on('message', ({ data }) => {
    if (!isBinaryTestReport(data)) return
    const test = forked.get(data.id)
    if (data.binaryTest === 'message') test?.emit('message', data.message)
    else {
      forked.delete(data.id)
      test?.end(data.code)
    }
  })
  let lastId = 0
  const post = (request: BinaryTestRequest) => port.postMessage(request)

  /** Returns the part of Node's `ChildProcess` that the test's parent uses. */
  function fork(modulePath: string | URL) {
    if (basename(String(modulePath)) !== 'testBindingBinary.js')
      throw new Error(`The engine's process cannot fork ${modulePath}`)
    lastId += 1
    const id = lastId
    const test = Object.assign(new EventEmitter(), {
      stdout: null,
      stderr: null,
      exitCode: null as number | null,
      killed: false,
      send(message: unknown): boolean {
        post({ binaryTest: 'send', id, message })
        return true
      },
      kill(): boolean {
        test.killed = true
        post({ binaryTest: 'kill', id })
        return true
      },
      end(code: number): void {
        test.exitCode = code
        test.emit('exit', code)
      },
    })
    forked.set(id, test)
    post({ binaryTest: 'start', id })
    return test
  }

  Object.assign(childProcess, { fork })
  // Modules that imported `fork` by its name see the replacement, too.
  syncBuiltinESMExports()
}

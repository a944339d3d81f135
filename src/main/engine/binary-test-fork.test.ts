import childProcess, { fork as importedFork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import type { BinaryTestReport } from '../../shared/binary-test.ts'
import { forkBinaryTestsThrough } from './binary-test-fork.ts'

const nodeFork = childProcess.fork

afterEach(() => {
  Object.assign(childProcess, { fork: nodeFork })
  syncBuiltinESMExports()
})

function setUp() {
  const parent = new EventEmitter()
  const posted: unknown[] = []
  forkBinaryTestsThrough({
    postMessage: (message) => void posted.push(message),
    on: (event, listener) => void parent.on(event, listener),
  })
  const report = (message: BinaryTestReport) => parent.emit('message', { data: message })
  return { parent, posted, report }
}

describe('forkBinaryTestsThrough', () => {
  it('has the process above run the test, for those who imported fork before, too', () => {
    const { posted, report } = setUp()
    const test = importedFork('/app/node_modules/node-llama-cpp/dist/bindings/utils/testBindingBinary.js')
    const heard: unknown[] = []
    test.on('message', (message) => heard.push(message))
    test.on('exit', (code) => heard.push(code))
    report({ binaryTest: 'message', id: 1, message: { type: 'ready' } })
    test.send({ type: 'start' })
    report({ binaryTest: 'exit', id: 1, code: 0 })
    expect(posted).toEqual([
      { binaryTest: 'start', id: 1 },
      { binaryTest: 'send', id: 1, message: { type: 'start' } },
    ])
    expect(heard).toEqual([{ type: 'ready' }, 0])
    expect(test.exitCode).toBe(0)
  })

  it('keeps two tests apart and ends one of them', () => {
    const { posted, report } = setUp()
    const [first, second] = [importedFork('testBindingBinary.js'), importedFork('testBindingBinary.js')]
    const heard: unknown[] = []
    first.on('exit', (code) => heard.push(['first', code]))
    second.on('exit', (code) => heard.push(['second', code]))
    second.kill('SIGKILL')
    report({ binaryTest: 'exit', id: 2, code: 143 })
    expect(posted.at(-1)).toEqual({ binaryTest: 'kill', id: 2 })
    expect(heard).toEqual([['second', 143]])
  })

  it('refuses to fork anything else', () => {
    setUp()
    expect(() => importedFork('/tmp/other.js')).toThrow('cannot fork /tmp/other.js')
  })
})

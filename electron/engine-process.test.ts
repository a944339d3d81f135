import { EventEmitter } from 'node:events'
import type { utilityProcess } from 'electron'
import { describe, expect, it } from 'vitest'
import { createSpawnWorker } from './engine-process.ts'

class FakeChild extends EventEmitter {
  readonly posted: unknown[] = []
  pid: number | undefined = 4711

  postMessage(message: unknown): void {
    this.posted.push(message)
  }

  kill(): boolean {
    this.pid = undefined
    return this.emit('exit', 143)
  }
}

function setUp() {
  const child = new FakeChild()
  const test = new FakeChild()
  const forks: unknown[][] = []
  const fork = ((...args: unknown[]) => {
    forks.push(args)
    return forks.length === 1 ? child : test
  }) as unknown as typeof utilityProcess.fork
  const spawnWorker = createSpawnWorker({
    fork,
    entries: { engine: '/app/engine.js', download: '/app/download.js' },
    binaryTest: '/app/testBindingBinary.js',
    env: { HOME: '/home/a' },
  })
  return { child, test, forks, worker: spawnWorker('engine', { env: { THREADS: '2' } }) }
}

describe('createSpawnWorker', () => {
  it('starts the bundle of the entry with the environment of both', () => {
    const { forks, worker } = setUp()
    expect(forks).toEqual([
      [
        '/app/engine.js',
        [],
        { serviceName: 'Tsugi engine', env: { HOME: '/home/a', THREADS: '2' }, stdio: 'inherit' },
      ],
    ])
    expect(worker.pid).toBe(4711)
  })

  it('carries frames both ways', () => {
    const { child, worker } = setUp()
    const received: unknown[] = []
    worker.port.onFrame((frame) => received.push(frame))
    child.emit('message', { t: 'end', id: 1 })
    worker.port.send({ t: 'cancel', id: 2 })
    expect(received).toEqual([{ t: 'end', id: 1 }])
    expect(child.posted).toEqual([{ t: 'cancel', id: 2 }])
  })

  it('tells of a crash and closes the port', async () => {
    const { child, worker } = setUp()
    const closed = new Promise<void>((resolve) => worker.port.onClose(resolve))
    child.emit('exit', 139)
    expect(await worker.exited).toEqual({ code: 139, signal: null })
    await closed
    worker.port.send({ t: 'cancel', id: 3 })
    expect(child.posted).toEqual([])
  })

  it('ends the child when the port is closed', async () => {
    const { worker } = setUp()
    worker.port.close()
    expect(await worker.exited).toEqual({ code: 143, signal: null })
  })

  it('runs the test of a native binary for the worker, and no other file', () => {
    const { child, test, forks, worker } = setUp()
    const frames: unknown[] = []
    worker.port.onFrame((frame) => frames.push(frame))
    child.emit('message', { binaryTest: 'start', id: 1, modulePath: '/tmp/other.js' })
    test.emit('message', { type: 'ready' })
    child.emit('message', { binaryTest: 'send', id: 1, message: { type: 'exit' } })
    test.emit('exit', 0)
    expect(forks[1]).toEqual([
      '/app/testBindingBinary.js',
      [],
      {
        serviceName: 'Tsugi binary test',
        env: { HOME: '/home/a', TEST_BINDING_CP: 'true' },
        stdio: 'ignore',
      },
    ])
    expect(test.posted).toEqual([{ type: 'exit' }])
    expect(child.posted).toEqual([
      { binaryTest: 'message', id: 1, message: { type: 'ready' } },
      { binaryTest: 'exit', id: 1, code: 0 },
    ])
    expect(frames).toEqual([])
  })

  it('ends a test together with the worker that asked for it', () => {
    const { child, test } = setUp()
    child.emit('message', { binaryTest: 'start', id: 1 })
    child.emit('exit', 139)
    expect(test.pid).toBeUndefined()
  })
})

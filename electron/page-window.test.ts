import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { keepPageAlive, type RecoveryOptions } from './page-window.ts'

function setUp(answer: boolean | Promise<boolean> = true) {
  const events = new EventEmitter()
  const done: string[] = []
  const signals: AbortSignal[] = []
  let nowMs = 0
  keepPageAlive({
    webContents: Object.assign(events, {
      reload: () => done.push('reload'),
      forcefullyCrashRenderer: () => done.push('crash'),
      isDestroyed: () => false,
    }) as unknown as RecoveryOptions['webContents'],
    now: () => nowMs,
    askAfterCrashes: async () => {
      done.push('ask after crashes')
      return answer
    },
    askWhileHanging: async (signal) => {
      done.push('ask while hanging')
      signals.push(signal)
      return answer
    },
    giveUp: () => done.push('give up'),
    onGone: (details) => done.push(details.reason),
    onFailed: (error) => done.push(String(error)),
  })
  return {
    done,
    signals,
    async emit(event: string, details?: { reason: string; exitCode: number }, atMs = nowMs) {
      nowMs = atMs
      events.emit(event, {}, details)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const crashed = { reason: 'crashed', exitCode: 11 }

describe('keepPageAlive', () => {
  it('loads the page anew after a crash', async () => {
    const { done, emit } = setUp()
    await emit('render-process-gone', crashed)
    expect(done).toEqual(['crashed', 'reload'])
  })

  it('leaves a clean end alone', async () => {
    const { done, emit } = setUp()
    await emit('render-process-gone', { reason: 'clean-exit', exitCode: 0 })
    expect(done).toEqual([])
  })

  it.each([
    [true, 'reload'],
    [false, 'give up'],
  ])('asks after the third crash within a minute (%s)', async (answer, last) => {
    const { done, emit } = setUp(answer)
    for (const atMs of [0, 20_000, 40_000]) await emit('render-process-gone', crashed, atMs)
    expect(done).toEqual(['crashed', 'reload', 'crashed', 'reload', 'crashed', 'ask after crashes', last])
  })

  it('does not count crashes of long ago', async () => {
    const { done, emit } = setUp()
    for (const atMs of [0, 50_000, 100_000, 150_000]) await emit('render-process-gone', crashed, atMs)
    expect(done).not.toContain('ask after crashes')
  })

  it('asks while the page hangs, and ends its process when told to', async () => {
    const { done, emit } = setUp(true)
    await emit('unresponsive')
    expect(done).toEqual(['ask while hanging', 'crash'])
  })

  it('goes on waiting when told to', async () => {
    const { done, emit } = setUp(false)
    await emit('unresponsive')
    expect(done).toEqual(['ask while hanging'])
  })

  it('goes on after a question that could not be asked', async () => {
    const { done, emit } = setUp(Promise.reject(new Error('no dialog')))
    await emit('unresponsive')
    await emit('unresponsive')
    expect(done).toEqual(['ask while hanging', 'Error: no dialog', 'ask while hanging', 'Error: no dialog'])
  })

  it('withdraws the question when the page answers again', async () => {
    const answer = Promise.withResolvers<boolean>()
    const { done, signals, emit } = setUp(answer.promise)
    await emit('unresponsive')
    await emit('unresponsive')
    await emit('responsive')
    expect(signals.map((signal) => signal.aborted)).toEqual([true])
    answer.resolve(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(done).toEqual(['ask while hanging'])
  })
})

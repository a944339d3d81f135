import { describe, expect, it } from 'vitest'
import { createKeyedQueue, createSerialQueue } from './serial-queue.ts'

describe('a serial queue', () => {
  it('begins the next work only when the one before has ended, in the order of adding', async () => {
    const run = createSerialQueue()
    const told: string[] = []
    const work = (name: string) => async () => {
      told.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      told.push(`${name} ends`)
      return name
    }
    expect(await Promise.all([run(work('a')), run(work('b'))])).toEqual(['a', 'b'])
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('tells an error to whoever added the work, and goes on with the next', async () => {
    const run = createSerialQueue()
    const failing = run(() => Promise.reject(new Error('full')))
    const next = run(async () => 'done')
    await expect(failing).rejects.toThrow('full')
    expect(await next).toBe('done')
  })

  it('is idle once no work is left, also none that was added meanwhile', async () => {
    const run = createSerialQueue()
    const told: string[] = []
    void run(async () => void run(async () => void told.push('added meanwhile')))
    await run.idle()
    expect(told).toEqual(['added meanwhile'])
  })
})

it('queues with keys hold up only work with the same key', async () => {
  const inTurn = createKeyedQueue<string>()
  const first = Promise.withResolvers<void>()
  const told: string[] = []
  const held = inTurn('a', () => first.promise)
  const behind = inTurn('a', async () => void told.push('behind'))
  await inTurn('b', async () => void told.push('other'))
  expect(told).toEqual(['other'])
  first.reject(new Error('failed'))
  await expect(held).rejects.toThrow('failed')
  await behind
  expect(told).toEqual(['other', 'behind'])
})

import { describe, expect, it } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

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
})

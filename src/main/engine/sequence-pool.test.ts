import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { createSequencePool } from './sequence-pool.ts'

/** A pool on a machine that has room for contexts of these sizes, one after the other. */
function poolOf(sizes: readonly (number | 'none')[]) {
  const made: { contextSize: number; isDisposed: boolean }[] = []
  let tries = 0
  const create = async (): Promise<LlamaContext> => {
    const size = sizes[tries] ?? 'none'
    tries += 1
    if (size === 'none') throw new Error('too large for the available VRAM')
    const context = { contextSize: size, isDisposed: false }
    made.push(context)
    const fake = {
      memoryUsage: { ram: 1, vram: 1 },
      getSequence: () => ({ contextSize: size }) as LlamaContextSequence,
      dispose: async () => {
        context.isDisposed = true
      },
    }
    return fake as unknown as LlamaContext
  }
  return { pool: createSequencePool(create, null, () => true), made, tries: () => tries }
}

describe('the conversations of an engine', () => {
  it('have a context each, while the memory has room for more of the same size', async () => {
    const { pool } = poolOf([8192, 8192, 8192])
    expect(await pool.prepare()).toBe(8192)
    const sequences = [await pool.take('a', []), await pool.take('b', []), await pool.take('c', [])]
    expect(new Set(sequences).size).toBe(3)
    expect(await pool.take('a', [])).toBe(sequences[0])
  })

  it.each([
    ['is only room for a smaller one', 700],
    ['is no room for another one', 'none'],
  ] as const)('share one where there %s, whatever the system says of its memory', async (_, second) => {
    const { pool, made, tries } = poolOf([8192, second, 8192])
    await pool.prepare()
    const first = await pool.take('a', [])
    expect(await pool.take('b', [])).toBe(first)
    expect(first.contextSize).toBe(8192)
    expect(made.slice(1).every(({ isDisposed }) => isDisposed)).toBe(true)
    expect(pool.conversations).toEqual(['b'])
    // It is not tried again with every change of the conversation.
    expect(await pool.take('a', [])).toBe(first)
    expect(tries()).toBe(2)
  })
})

import { describe, expect, it } from 'vitest'
import { ItemQueue } from './item-queue.ts'

const join = (older: unknown, newer: unknown) =>
  typeof older === 'string' && typeof newer === 'string' ? older + newer : undefined

function drain(queue: ItemQueue): unknown[] {
  const values: unknown[] = []
  for (let entry = queue.shift(); entry; entry = queue.shift()) values.push(entry.value)
  return values
}

describe('ItemQueue', () => {
  it('keeps the order, also over thousands', () => {
    const queue = new ItemQueue()
    const numbers = Array.from({ length: 3500 }, (_, index) => index)
    for (const number of numbers) queue.push(number)
    expect(queue.shift()).toMatchObject({ value: 0 })
    queue.push(3500)
    expect(queue.length).toBe(3500)
    expect(drain(queue)).toEqual([...numbers.slice(1), 3500])
    expect(queue.shift()).toBeUndefined()
  })

  it('merges neighbours that merge, and no others', () => {
    const queue = new ItemQueue(join)
    for (const value of ['a', 'b', 1, 2, 'c', 'd', 'e']) queue.push(value)
    expect(drain(queue)).toEqual(['ab', 1, 2, 'cde'])
  })

  it('does not merge into what was taken', () => {
    const queue = new ItemQueue(join)
    queue.push('a')
    expect(queue.shift()).toMatchObject({ value: 'a' })
    queue.push('b')
    expect(drain(queue)).toEqual(['b'])
  })

  it('counts bytes of UTF-8, not letters', () => {
    const queue = new ItemQueue()
    queue.push('継') // 3 bytes and 2 quotes
    queue.push('x')
    expect(queue.isOver(8)).toBe(false)
    expect(queue.isOver(7)).toBe(true)
  })

  it('lets one item be of any size', () => {
    const queue = new ItemQueue()
    queue.push('x'.repeat(100))
    expect(queue.isOver(10)).toBe(false)
    queue.push('')
    expect(queue.isOver(10)).toBe(true)
    queue.shift()
    expect(queue.isOver(10)).toBe(false)
  })

  it('does not count the quotes of parts that were merged away', () => {
    const queue = new ItemQueue(join)
    queue.push(1)
    for (let index = 0; index < 50; index += 1) queue.push('x')
    expect(queue.isOver(53)).toBe(false)
    expect(queue.isOver(52)).toBe(true)
  })

  it('refuses what JSON cannot carry', () => {
    expect(() => new ItemQueue().push(1n)).toThrow(TypeError)
  })
})

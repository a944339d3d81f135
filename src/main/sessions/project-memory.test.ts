import { describe, expect, it } from 'vitest'
import { mergedMemory } from './project-memory.ts'

const memory = (filesWritten: number, operationsSucceeded: number, ...learnedPatterns: string[]) => ({
  filesWritten,
  operationsSucceeded,
  learnedPatterns,
})

describe('the memory of a project', () => {
  it('is that of its first session', () => {
    expect(mergedMemory(undefined, memory(0, 0), memory(1, 2, 'a'))).toEqual(memory(1, 2, 'a'))
  })

  it('counts what two sessions do at the same time', () => {
    const both = memory(3, 10, 'a')
    const afterOne = mergedMemory(both, both, memory(5, 14, 'a'))
    const afterOther = mergedMemory(afterOne, both, memory(4, 11, 'a'))
    expect(afterOther).toEqual(memory(6, 15, 'a'))
  })

  it('keeps a pattern that another session has learned', () => {
    const stored = memory(0, 0, 'a', 'b')
    expect(mergedMemory(stored, memory(0, 0, 'a'), memory(0, 0, 'a'))).toEqual(stored)
    expect(mergedMemory(stored, memory(0, 0, 'a'), memory(0, 0)).learnedPatterns).toEqual([])
  })

  it('loses nothing by a conversation that is taken back', () => {
    expect(mergedMemory(memory(9, 9), memory(4, 4), memory(2, 2))).toEqual(memory(9, 9))
  })
})

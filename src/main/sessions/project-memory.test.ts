import { describe, expect, it } from 'vitest'
import type { Correction } from '../../shared/domain/session/agent-state.ts'
import { mergedMemory } from './project-memory.ts'

const memory = (filesWritten: number, operationsSucceeded: number, ...learnedPatterns: string[]) => ({
  filesWritten,
  operationsSucceeded,
  learnedPatterns,
  corrections: [] as Correction[],
})

const corrected = (text: string, times: number, isDeclined = false): Correction => ({
  text,
  times,
  isDeclined,
})
const withCorrections = (...corrections: Correction[]) => ({ ...memory(0, 0), corrections })

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

  it('counts what is corrected in two sessions, and keeps what was declined in one of them', () => {
    const both = withCorrections(corrected('use tabs', 1), corrected('no jokes', 2))
    const one = withCorrections(corrected('use tabs', 2), corrected('no jokes', 0, true))
    const stored = mergedMemory(both, both, one)
    expect(stored).toEqual(one)
    const other = withCorrections(corrected('use tabs', 2), corrected('no jokes', 3))
    expect(mergedMemory(stored, both, other).corrections).toEqual([
      corrected('use tabs', 3),
      corrected('no jokes', 1, true),
    ])
    expect(mergedMemory(stored, both, withCorrections(corrected('Use tabs.', 1))).corrections).toEqual([
      corrected('use tabs', 2),
    ])
  })

  it('loses nothing by a conversation that is taken back', () => {
    expect(mergedMemory(memory(9, 9), memory(4, 4), memory(2, 2))).toEqual(memory(9, 9))
  })
})

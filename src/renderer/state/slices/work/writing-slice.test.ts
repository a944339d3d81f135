import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import type { AppState } from '../../app-state.ts'
import type { SliceContext } from '../slice.ts'
import { createWritingSlice, dayOf } from './writing-slice.ts'

describe('a day of writing', () => {
  it('is the one that the clock on the wall shows', () => {
    expect(dayOf(new Date(2026, 0, 5, 23, 59).getTime())).toBe('2026-01-05')
    expect(dayOf(new Date(2026, 10, 22, 0, 1).getTime())).toBe('2026-11-22')
  })

  it('counts what was written while the connection was lost, before and after the attempt to tell it', async () => {
    const told: unknown[] = []
    const answer = Promise.withResolvers<void>()
    let isLost = true
    const state = {
      work: { current: { workId: 'w', files: [{ path: '1.txt', kind: 'manuscript' }] } },
      documents: { byPath: { '1.txt': { key: 'k', path: '1.txt' } } },
      writing: {} as AppState['writing'],
    }
    const addWritten = async (due: { written: { characters: number } }) => {
      if (!isLost) return void told.push(due.written.characters)
      await answer.promise
      throw new AppError({ code: 'rpc/closed' })
    }
    const writing = createWritingSlice({
      get: () => state,
      now: () => 0,
      client: { 'work.addWritten': addWritten },
    } as unknown as SliceContext)
    state.writing = writing
    writing.written('k', { characters: 10, words: 0 })
    const telling = writing.tell()
    writing.written('k', { characters: 5, words: 0 })
    answer.resolve()
    await telling
    isLost = false
    await writing.tell()
    expect(told).toEqual([15])
  })
})

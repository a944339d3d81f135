import { describe, expect, it } from 'vitest'
import { dayOf } from './writing-slice.ts'

describe('a day of writing', () => {
  it('is the one that the clock on the wall shows', () => {
    expect(dayOf(new Date(2026, 0, 5, 23, 59).getTime())).toBe('2026-01-05')
    expect(dayOf(new Date(2026, 10, 22, 0, 1).getTime())).toBe('2026-11-22')
  })
})

import { describe, expect, it } from 'vitest'
import { ReadLedger } from './read-ledger.ts'

describe('the ledger of what was read', () => {
  it('joins ranges of the same content that touch, and starts anew with another', () => {
    const ledger = new ReadLedger()
    ledger.note('a', 'h1', { from: 1, to: 10 })
    ledger.note('a', 'h1', { from: 11, to: 20 })
    expect(ledger.filesInUse()).toEqual([{ path: 'a', from: 1, to: 20 }])
    ledger.note('a', 'h1', { from: 50, to: 60 })
    expect(ledger.filesInUse()).toEqual([{ path: 'a', from: 50, to: 60 }])
    ledger.note('a', 'h2', { from: 61, to: 70 })
    expect(ledger.filesInUse()).toEqual([{ path: 'a', from: 61, to: 70 }])
    expect(ledger.knows('a', 'h1')).toBe(false)
    expect(ledger.knows('a', 'h2')).toBe(true)
  })

  it('adds ranges of one content up, and tells what is left', () => {
    const ledger = new ReadLedger()
    expect(ledger.unread('a', 'h', 3)).toEqual([{ from: 1, to: 3 }])
    ledger.note('a', 'h', { from: 5, to: 6 })
    ledger.note('a', 'h', { from: 1, to: 2 })
    expect(ledger.unread('a', 'h', 8)).toEqual([
      { from: 3, to: 4 },
      { from: 7, to: 8 },
    ])
    ledger.note('a', 'h', { from: 2, to: 9 })
    expect(ledger.unread('a', 'h', 8)).toEqual([])
    expect(ledger.unread('a', 'other', 8)).toEqual([{ from: 1, to: 8 }])
  })

  it('knows after an edit what was seen before it, where that stands now', () => {
    const ledger = new ReadLedger()
    ledger.note('a', 'h', { from: 1, to: 4 })
    // Line 2 becomes three lines; line 6, which was not seen, is removed.
    ledger.changed('a', 'h', 'h2', [
      { index: 0, oldFrom: 2, oldLines: ['b'], newFrom: 2, newLines: ['x', 'y', 'z'] },
      { index: 1, oldFrom: 6, oldLines: ['f'], newFrom: 8, newLines: [] },
    ])
    expect(ledger.knows('a', 'h2')).toBe(true)
    expect(ledger.unread('a', 'h2', 9)).toEqual([{ from: 7, to: 9 }])
  })

  it('knows what was heard of until the file is seen again, moved or not', () => {
    const ledger = new ReadLedger()
    const range = { from: 1, to: 1 }
    ledger.note('a', 'h1', range)
    ledger.heard('b', 'h2')
    ledger.moved('b', 'c')
    ledger.heard('a', 'h2')
    expect(ledger.filesKnown()).toEqual(['a', 'c', 'b'])
    expect([ledger.isNews('b', 'h2'), ledger.isNews('b', 'gone')]).toEqual([true, false])
    expect(['h1', 'h2', 'h3'].map((hash) => ledger.isNews('a', hash))).toEqual([false, false, true])
    const copy = ledger.copy()
    ledger.note('a', 'h3', range)
    expect(['h1', 'h2', 'h3'].map((hash) => ledger.isNews('a', hash))).toEqual([true, true, false])
    copy.unhear()
    expect([copy.isNews('a', 'h1'), copy.isNews('a', 'h2'), copy.filesKnown()]).toEqual([false, true, ['a']])
    expect(ledger.knows('c', 'h2')).toBe(false)
  })

  it('follows moves, forgets, and lets the oldest go', () => {
    const ledger = new ReadLedger()
    const range = { from: 1, to: 1 }
    ledger.note('a', 'h', range)
    ledger.moved('a', 'b')
    expect([ledger.has('a'), ledger.knows('b', 'h')]).toEqual([false, true])
    ledger.replaced('b', 'h2')
    expect([ledger.has('b'), ledger.fileOf('b')]).toEqual([false, { path: 'b', hash: 'h2', from: 0, to: 0 }])
    ledger.replaced('never', 'h2')
    expect(ledger.fileOf('never')).toBeUndefined()
    expect(ledger.filesInUse()).toEqual([])
    for (let at = 0; at <= 500; at++) ledger.note(`f${at}`, 'h', range)
    expect([ledger.has('f0'), ledger.has('f1'), ledger.has('f500')]).toEqual([false, true, true])
  })
})

import { describe, expect, it } from 'vitest'
import { createReadLedger } from './read-ledger.ts'

describe('the ledger of what was read', () => {
  it('joins ranges of the same content that touch, and starts anew with another', () => {
    const ledger = createReadLedger()
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

  it('follows moves, forgets, and lets the oldest go', () => {
    const ledger = createReadLedger()
    const range = { from: 1, to: 1 }
    ledger.note('a', 'h', range)
    ledger.moved('a', 'b')
    expect([ledger.has('a'), ledger.knows('b', 'h')]).toEqual([false, true])
    ledger.forget('b')
    expect(ledger.filesInUse()).toEqual([])
    for (let at = 0; at <= 500; at++) ledger.note(`f${at}`, 'h', range)
    expect([ledger.has('f0'), ledger.has('f1'), ledger.has('f500')]).toEqual([false, true, true])
  })
})

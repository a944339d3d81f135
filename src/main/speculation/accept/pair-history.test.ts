import { describe, expect, it } from 'vitest'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import { pairHistory } from './finished-part.ts'

const answer = (text: string, ...callIds: string[]): PromptEntry => ({
  turn: 1,
  role: 'assistant',
  kind: 'work',
  text,
  calls: callIds.map((callId) => ({ callId, name: 'read_file', args: '{}' })),
})
const result = (callId: string): PromptEntry => ({
  turn: 1,
  role: 'tool',
  kind: 'result',
  text: 'ok',
  callId,
})
const said: PromptEntry = { turn: 1, role: 'assistant', kind: 'reply', text: 'done' }
const note: PromptEntry = { turn: 1, role: 'user', kind: 'note', text: 'files changed' }

describe('a history cut off in the middle of an answer', () => {
  it('keeps the calls that were made, in their order, and drops the rest', () => {
    expect(pairHistory([answer('look', 'a', 'b', 'c'), result('a'), result('b')])).toEqual([
      answer('look', 'a', 'b'),
      result('a'),
      result('b'),
    ])
  })

  it('keeps what was said where no call is left, and nothing where nothing was said', () => {
    const { calls: _, ...words } = answer('I look')
    expect(pairHistory([answer('I look', 'a'), note])).toEqual([words, note])
    expect(pairHistory([answer('', 'a'), said])).toEqual([said])
  })

  it('leaves a whole history as it is', () => {
    const whole = [
      note,
      answer('', 'a', 'b'),
      result('b'),
      note,
      result('a'),
      said,
      answer('', 'a'),
      result('a'),
    ]
    expect(pairHistory(whole)).toEqual(whole)
  })

  it('counts one result for a call, and one call for an id', () => {
    expect(pairHistory([answer('', 'a', 'a'), result('a'), result('a')])).toEqual([
      answer('', 'a'),
      result('a'),
    ])
  })

  it('gives a result to no other answer than the last one', () => {
    expect(pairHistory([answer('x', 'a'), said, result('a'), result('b')])).toEqual([
      { turn: 1, role: 'assistant', kind: 'work', text: 'x' },
      said,
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { mergeRunEvents } from './run.ts'

describe('merging the events of a run', () => {
  it('joins text, also behind a correction, under the newer number', () => {
    expect(
      mergeRunEvents({ type: 'text', seq: 1, text: '一' }, { type: 'text', seq: 2, text: '二' }),
    ).toEqual({
      type: 'text',
      seq: 2,
      text: '一二',
    })
    expect(
      mergeRunEvents({ type: 'replace', seq: 1, text: '一' }, { type: 'text', seq: 2, text: '二' }),
    ).toEqual({ type: 'replace', seq: 2, text: '一二' })
  })

  it('never swallows a phase, a correction or the end', () => {
    const text = { type: 'text', seq: 1, text: '一' } as const
    expect(mergeRunEvents(text, { type: 'replace', seq: 2, text: '' })).toBeUndefined()
    expect(mergeRunEvents(text, { type: 'phase', seq: 2, phase: 'writing', progress: null })).toBeUndefined()
    expect(mergeRunEvents(text, { type: 'ended', seq: 2, state: 'finished', error: null })).toBeUndefined()
  })
})

import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { wordAt, wordStep } from './word-steps.ts'

function steps(text: string, isForward: boolean): string[] {
  const state = EditorState.create({ doc: text })
  const found: string[] = []
  for (let at = isForward ? 0 : text.length; ; ) {
    const next = wordStep(state, at, isForward)
    if (next === at) return found
    found.push(text.slice(Math.min(at, next), Math.max(at, next)))
    at = next
  }
}

describe('steps by word', () => {
  it('know Japanese words, which no space parts', () => {
    expect(steps('吾輩は猫である。名前はない。', true)).toEqual([
      '吾輩',
      'は',
      '猫',
      'で',
      'ある',
      '。',
      '名前',
      'は',
      'ない',
      '。',
    ])
  })

  it('take the space before a word forwards, and behind it backwards', () => {
    expect(steps('The old “house”', true)).toEqual(['The', ' old', ' “', 'house', '”'])
    expect(steps('The old house', false)).toEqual(['house', 'old ', 'The '])
  })

  it('stop at the ends of a line', () => {
    expect(steps('雨\n\n風', true)).toEqual(['雨', '\n', '\n', '風'])
    expect(steps('雨\n　風', false)).toEqual(['風', '　', '\n', '雨'])
  })
})

describe('the word at a place', () => {
  const word = (text: string, at: number) => {
    const { from, to } = wordAt(EditorState.create({ doc: text }), at)
    return text.slice(from, to)
  }
  it('is the one that stands there', () => {
    expect(word('その夜、東京駅に着いた。', 5)).toBe('東京')
    expect(word('well, it was', 7)).toBe('it')
    expect(word('雨……風', 2)).toBe('……')
    expect(word('', 0)).toBe('')
  })
})

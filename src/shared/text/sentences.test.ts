import { describe, expect, it } from 'vitest'
import { firstSentenceEnd, splitSentences } from './sentences.ts'

const sentences = (text: string) => splitSentences(text).map(({ from, to }) => text.slice(from, to))

describe('sentences', () => {
  it.each([
    ['猫だ。名前は無い。', ['猫だ。', '名前は無い。']],
    ['まさか！？　そんな……はずは。', ['まさか！？', '　そんな……はずは。']],
    ['そう……。次。', ['そう……。', '次。']],
    ['「逃げろ。早く！」と叫んだ。走る。', ['「逃げろ。早く！」と叫んだ。', '走る。']],
    ['「逃げろ」\n走る。\n', ['「逃げろ」\n', '走る。\n']],
    ['「ああ」「いや」', ['「ああ」', '「いや」']],
    ['彼は（笑。）言う。次', ['彼は（笑。）言う。', '次']],
    ['彼は『星。』を読む。', ['彼は『星。』を読む。']],
    ['まだ\n次。', ['まだ\n', '次。']],
    ['\n\n　次。後。', ['\n\n　次。', '後。']],
    [
      'Mr. Smith paid 3.50 e.g. twice. "Go!" he said. End',
      ['Mr. Smith paid 3.50 e.g. twice. ', '"Go!" ', 'he said. ', 'End'],
    ],
    ['途中', ['途中']],
    ['', []],
  ])('%j', (text, wanted) => {
    expect(sentences(text)).toEqual(wanted)
    expect(sentences(text).join('')).toBe(text)
  })

  it('are found from a place on', () => {
    expect(firstSentenceEnd('一。二。三。', 2)).toBe(4)
    expect(firstSentenceEnd('　\n　')).toBe(3)
  })
})

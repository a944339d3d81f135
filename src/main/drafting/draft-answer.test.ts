import { describe, expect, it } from 'vitest'
import { joinTake } from './draft-answer.ts'

const joined = (before: string, suffix: string, take: string) => {
  const { lead, text } = joinTake(before, suffix, take)
  return before + lead + text
}

describe('joining a take', () => {
  it.each([
    ['a whole sentence gets a new line', '終わった。', '', '次。', '終わった。\n次。'],
    ['which the take need not bring itself', '終わった。', '', '\n　次。', '終わった。\n　次。'],
    ['a further line end is a blank line', '終わった。', '', '\n\n　次。', '終わった。\n\n　次。'],
    ['a begun sentence goes on in its line', '彼は', '彼は', '走った。', '彼は走った。'],
    ['and keeps a line end that the manuscript lacks', '彼は', '彼は', '\n次', '彼は\n次'],
    ['a space that is there is dropped', 'It was ', 'It was', ' no longer', 'It was no longer'],
    ['however many there are', 'It was  ', 'It was', '  no', 'It was  no'],
    ['a space that is not there is kept', 'It was', 'It was', ' no longer', 'It was no longer'],
    ['a new line is used as it is', '終わった。\n', '', '次。', '終わった。\n次。'],
    ['a line end that is there is dropped', '終わった。\n', '', '\n次。', '終わった。\n次。'],
    ['as often as it is there', '終わった。\n\n', '', '\n\n\n次。', '終わった。\n\n\n次。'],
    ['an indent that is there is dropped', '終わった。\n　', '終わった。', '\n　次。', '終わった。\n　次。'],
    ['but not more of it', '終わった。\n　', '終わった。', '　　次。', '終わった。\n　　次。'],
    ['an empty manuscript gets the take alone', '', '', '次。', '次。'],
  ])('%s', (_, before, suffix, take, wanted) => {
    expect(joined(before, suffix, take)).toBe(wanted)
  })

  it('shows a growing take as a growing text', () => {
    const take = '\n\n　次。'
    let shown = ''
    for (let length = 0; length <= take.length; length++) {
      const { text } = joinTake('終わった。\n　', '終わった。', take.slice(0, length))
      expect(text.startsWith(shown)).toBe(true)
      shown = text
    }
  })
})

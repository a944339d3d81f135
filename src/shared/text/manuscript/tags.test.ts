import { describe, expect, it } from 'vitest'
import { cleanTag, splitTagInput } from './tags.ts'

describe('tag input', () => {
  it.each([
    ['a　b\tc', ['a', 'b', 'c']],
    [' {A B|C D} ', ['{A B|C D}']],
    ['{A|B} x', ['{A|B}', 'x']],
    ['"夜 明け"', ['夜 明け']],
    ['"a b" c', ['"a', 'b"', 'c']],
    ['駅 "古い 約束"', ['駅', '古い 約束']],
    ['駅　"古い 約束" 雨 "夜 明け"', ['駅', '古い 約束', '雨', '夜 明け']],
    ['駅 "古い 約束', ['駅', '"古い', '約束']],
    ['5" 駅', ['5"', '駅']],
    ['""', []],
    ['"', ['"']],
    ['', []],
    ['猫 猫', ['猫']],
  ])('%s', (input, tags) => {
    expect(splitTagInput(input)).toEqual(tags)
  })

  it('leaves out what is there', () => {
    expect(splitTagInput('b a', ['a'])).toEqual(['b'])
  })
})

it('shows a tag without outer spaces and quotes', () => {
  expect(cleanTag(' ""夜 明け" " ')).toBe('夜 明け')
  expect(cleanTag(' " ')).toBe('')
})

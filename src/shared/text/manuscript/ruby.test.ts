import { describe, expect, it } from 'vitest'
import { findRuby, rubyProblem, withoutRuby } from './ruby.ts'

const seen = (line: string) =>
  findRuby(line).map((mark) => {
    const base = line.slice(mark.base.from, mark.base.to)
    const reading = mark.kind === 'ruby' ? `(${line.slice(mark.reading.from, mark.reading.to)})` : ''
    return `${mark.kind} ${line.slice(mark.from, mark.to)} = ${base}${reading}`
  })

describe('ruby', () => {
  it.each([
    ['彼は｜運命《さだめ》を', ['ruby ｜運命《さだめ》 = 運命(さだめ)']],
    ['|A Iに《エーアイ》', ['ruby |A Iに《エーアイ》 = A Iに(エーアイ)']],
    ['この漢字《かんじ》は', ['ruby 漢字《かんじ》 = 漢字(かんじ)']],
    [
      '佐々木《ささき》と𠮷野《よしの》',
      ['ruby 佐々木《ささき》 = 佐々木(ささき)', 'ruby 𠮷野《よしの》 = 𠮷野(よしの)'],
    ],
    ['かな《カナ》', []],
    ['ここが《《大事》》だ', ['emphasis 《《大事》》 = 大事']],
    ['漢字｜《かんじ》', ['escape ｜《 = 《']],
    ['｜《《傍点》》', ['escape ｜《 = 《']],
    ['雨《》雨《あ《め》', []],
    [`｜${'あ'.repeat(21)}《い》`, []],
  ])('%s', (line, marks) => {
    expect(seen(line)).toEqual(marks)
  })

  it('is left out of what is read', () => {
    expect(withoutRuby('｜運命《さだめ》と《《愛》》と｜《空》')).toBe('運命と愛と《空》')
    expect(withoutRuby('雨が降る。')).toBe('雨が降る。')
  })

  it('says which words cannot have a reading', () => {
    expect(rubyProblem('運命', 'さだめ')).toBeNull()
    expect(rubyProblem('運\n命', 'さだめ')).toBe('signs')
    expect(rubyProblem('運命', 'さ》め')).toBe('signs')
    expect(rubyProblem('運'.repeat(21), 'さ')).toBe('too-long')
  })
})

import { describe, expect, it } from 'vitest'
import { countCharacters, countText, pagesOf } from './character-count.ts'

describe('the count of a manuscript', () => {
  it('is what a reader sees, without spaces and line ends', () => {
    expect(countCharacters('　吾輩は、猫である。\n\n👨‍👩‍👧 か\u3099\r\n')).toBe(9 + 1 + 1)
    expect(countCharacters('')).toBe(0)
    expect(countCharacters('\n\n')).toBe(0)
  })

  it.each([
    ['雨。@// あとで直す\n風。', 4],
    ['雨@/* 二行に\nわたる */ 覚え@*/風', 2],
    ['前\n@startpoint\n本文\n@endpoint\n残り', 5],
    ['mail@break.jp', 13],
    ['｜運命《さだめ》は漢字《かんじ》', 5],
    ['ここが《《大事》》だ', 6],
    ['値は｜《空》', 5],
  ])('leaves out what sites do not count: %s', (text, characters) => {
    expect(countCharacters(text)).toBe(characters)
  })

  it('knows the words of a text that parts them', () => {
    expect(countText('It’s a well-known “rule”—stop, 12 times.').words).toBe(7)
    expect(countText('猫 AI と Tokyo').words).toBe(2)
  })

  it('fills sheets of 400 as they are written, with spaces and empty lines', () => {
    expect(pagesOf(countText(''))).toBe(0)
    expect(pagesOf(countText('あ'.repeat(400)))).toBe(1)
    expect(pagesOf(countText('あ'.repeat(401)))).toBe(2)
    expect(pagesOf(countText('あ\n'.repeat(20)))).toBe(2)
    expect(pagesOf(countText(`${'あ\n'.repeat(19)}｜あ《${'い'.repeat(40)}》`))).toBe(1)
  })
})

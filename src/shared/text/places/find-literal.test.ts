import { describe, expect, it } from 'vitest'
import { findLiteral } from './find-literal.ts'

const all = { isCaseSensitive: false, foldsWidth: true, foldsKana: true }
const none = { isCaseSensitive: true, foldsWidth: false, foldsKana: false }
const found = (source: string, wanted: string, folding = all) =>
  findLiteral(source, wanted, folding, 100).map(({ from, to }) => source.slice(from, to))

describe('finding a text', () => {
  it.each([
    ['ﾃﾞｰﾀとデータとでーた', 'データ', ['ﾃﾞｰﾀ', 'データ', 'でーた']],
    ['ＡＢＣ abc', 'Abc', ['ＡＢＣ', 'abc']],
    ['か\u3099くと がく', 'ガク', ['か\u3099く', 'がく']],
    ['㌔とキロ', 'キロ', ['㌔', 'キロ']],
    ['㌔', 'ロ', []],
    ['がく', 'か', []],
    ['ああああ', 'ああ', ['ああ', 'ああ']],
    ['👨‍👩‍👧と👨', '👨', ['👨', '👨']],
    ['１０年', '10', ['１０']],
    ['a\nb', 'a\nb', ['a\nb']],
  ])('in %s: %s', (source, wanted, hits) => expect(found(source, wanted)).toEqual(hits))

  it('takes every form for itself where nothing folds', () => {
    expect(found('データでーたﾃﾞｰﾀ', 'データ', none)).toEqual(['データ'])
    expect(found('Aa', 'a', none)).toEqual(['a'])
  })

  it('folds each by itself', () => {
    expect(found('データでーたﾃﾞｰﾀ', 'データ', { ...none, foldsKana: true })).toEqual(['データ', 'でーた'])
    expect(found('データでーたﾃﾞｰﾀ', 'データ', { ...none, foldsWidth: true })).toEqual(['データ', 'ﾃﾞｰﾀ'])
  })

  it('stops at the limit', () => expect(findLiteral('aaaa', 'a', none, 3)).toHaveLength(3))
})

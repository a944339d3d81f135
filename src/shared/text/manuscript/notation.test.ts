import { describe, expect, it } from 'vitest'
import { countCharacters } from './character-count.ts'
import { readerText } from './manuscript-marks.ts'
import { readNotation } from './notation.ts'
import { withoutRuby } from './ruby.ts'

describe('reading ruby and emphasis', () => {
  it('gives pieces without a gap, each with its place', () => {
    const source = 'その｜お城《しろ》と城《しろ》、《《傍点》》と｜《括弧》'
    const pieces = readNotation(source)
    expect(pieces.map(({ kind }) => kind)).toEqual([
      'text',
      'ruby',
      'text',
      'ruby',
      'text',
      'emphasis',
      'text',
    ])
    expect(pieces.map(({ from, to }) => source.slice(from, to)).join('')).toBe(source)
    expect(pieces[1]).toEqual({ kind: 'ruby', from: 2, to: 9, base: 'お城', reading: 'しろ' })
    expect(withoutRuby(source)).toBe('そのお城と城、傍点と《括弧》')
  })

  it.each([
    ['かな《るび》', 'かな《るび》'],
    ['漢字《かん\nじ》', '漢字《かん\nじ》'],
    ['漢字《》', '漢字《》'],
    ['《《》》', '《《》》'],
    ['一｜二《に》', '一二'],
    ['｜｜二《に》', '｜二'],
    ['一|二|三《さん》', '一|二三'],
  ])('of %s the words are %s', (source, words) => expect(withoutRuby(source)).toBe(words))
})

describe('what readers read', () => {
  it.each([
    ['一@//二\n三', '一\n三'],
    ['@//一\n二', '二'],
    ['@/*一\n二@*/\n三', '三'],
    ['一\n@break\n二', '一\n二'],
    ['一\n@endpoint', '一\n'],
    ['a@breakb', 'a@breakb'],
    ['外@startpoint内@endpoint外', '外内外'],
  ])('%j is %j', (source, wanted) => expect(readerText(source)).toBe(wanted))

  it('counts a family emoji as one, and no white space', () => {
    expect(countCharacters('👨‍👩‍👧 と　犬《いぬ》\n')).toBe(3)
  })
})

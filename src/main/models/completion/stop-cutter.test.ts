import { describe, expect, it } from 'vitest'
import { cutAtStops, StopCutter } from './stop-cutter.ts'

function stream(pieces: string[], stops: string[]) {
  const cutter = new StopCutter(stops)
  const shown = pieces.map((piece) => cutter.push(piece))
  return { shown, text: shown.join('') + cutter.flush(), isCut: cutter.isCut }
}

describe('StopCutter', () => {
  it('never shows a part of a stop sequence that comes in several pieces', () => {
    expect(stream(['吾輩は\n', '# キ', 'ーワード:猫'], ['\n# キーワード:'])).toEqual({
      shown: ['吾輩は', '', ''],
      text: '吾輩は',
      isCut: true,
    })
  })

  it('gives back what only looked like a stop sequence', () => {
    expect(stream(['a\n', '# キ', 'ツネ'], ['\n# キーワード:'])).toEqual({
      shown: ['a', '', '\n# キツネ'],
      text: 'a\n# キツネ',
      isCut: false,
    })
    expect(stream(['終わり。\n#'], ['\n# x']).text).toBe('終わり。\n#')
  })

  it('cuts at the earliest of several, also inside one piece, and shows nothing after it', () => {
    expect(stream(['say internation', 'al'], ['nation', 'inter'])).toEqual({
      shown: ['say ', ''],
      text: 'say ',
      isCut: true,
    })
  })

  it('ignores empty stop sequences', () => {
    expect(stream(['猫'], ['']).text).toBe('猫')
    expect(cutAtStops('猫。犬', ['', '。'])).toBe('猫')
  })
})

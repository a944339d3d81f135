import { describe, expect, it } from 'vitest'
import { isAllVisible, visiblePieces } from './visible-characters.ts'

const codesOf = (text: string) =>
  visiblePieces(text).flatMap((piece) => (piece.kind === 'mark' ? [piece.code] : []))

describe('characters that would not be seen', () => {
  it.each([
    ['a terminal escape', 'echo \u001b[2K', ['U+001B']],
    ['a carriage return', 'rm -rf /\recho hi', ['U+000D']],
    ['a text turned around', 'cat \u202efdp.exe\u2066', ['U+202E', 'U+2066']],
    ['zero width in a word', 'npm\u200binstall\ufeff', ['U+200B', 'U+FEFF']],
    ['spaces that are none of the shell’s', 'rm\u00a0-rf\u2003/', ['U+00A0', 'U+2003']],
    ['a tag outside of the first plane', 'x\u{e0041}', ['U+E0041']],
    ['half of a pair', 'x\ud800y', ['U+D800']],
    ['a joiner between Latin letters', 'gi\u200dt', ['U+200D']],
  ])('%s is named by its code', (_, text, codes) => {
    expect(codesOf(text)).toEqual(codes)
    expect(isAllVisible(text)).toBe(false)
  })

  it('leaves text, indents, line ends and emoji alone', () => {
    const text = '\tif (a) {\n　時計の針が👩‍👩‍👧を。क्‍ष\n}'
    expect(visiblePieces(text)).toEqual([{ kind: 'text', text }])
    expect(isAllVisible(text)).toBe(true)
  })

  it('loses nothing', () => {
    const text = '\u0000a\u202eb\u200d\u200d'
    expect(
      visiblePieces(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
    expect(visiblePieces('')).toEqual([])
  })
})

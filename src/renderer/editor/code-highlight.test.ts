import { describe, expect, it } from 'vitest'
import { colourLines } from './code-highlight.ts'

describe('colourLines', () => {
  it('names the parts of code by the language of the file, line by line', async () => {
    const lines = await colourLines("const a = 'x'\n// note\n", 'src/date.ts')
    expect(lines?.[0]).toContainEqual({ text: 'const', className: 'tok-keyword' })
    expect(lines?.[0]).toContainEqual({ text: "'x'", className: 'tok-string' })
    expect(lines?.[1]).toEqual([{ text: '// note', className: 'tok-comment' }])
    expect(lines?.map((line) => line.map((piece) => piece.text).join(''))).toEqual([
      "const a = 'x'",
      '// note',
      '',
    ])
  })

  it('leaves what it does not know, and what is too long, plain', async () => {
    expect(await colourLines('a;'.repeat(200_000), 'long.ts')).toBeNull()
    expect(await colourLines('雨が降る。', '003 逆回転.txt')).toBeNull()
  })
})

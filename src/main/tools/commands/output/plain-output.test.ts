import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../tests/fakes/seeded-random.ts'
import { createPlainOutput } from './plain-output.ts'

function plain(text: string, cuts: readonly number[] = []): string {
  const output = createPlainOutput()
  const ends = [...cuts, text.length]
  const parts = ends.map((end, index) => output.push(text.slice(ends[index - 1] ?? 0, end)))
  return parts.join('') + output.end()
}

describe('making output plain', () => {
  it.each([
    ['text as it is', 'a\tb\n日本語 😀\n', 'a\tb\n日本語 😀\n'],
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['colours with colons', '\u001b[38:2::1:2:3mx', 'x'],
    ['private modes', '\u001b[?25l\u001b[>4;2mx\u001b[2 q', 'x'],
    ['a title', '\u001b]0;title\u0007x', 'x'],
    ['a link', '\u001b]8;;http://a\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['device strings', '\u001bPq#0\u001b\\x\u001b_hidden\u001b\\', 'x'],
    ['character sets and keypad modes', '\u001b(B\u001b=x\u001bM', 'x'],
    ['a string that never ends', '\u001b]0;title\nx', '0;title\nx'],
    ['an escape at the end', 'x\u001b', 'x'],
    ['NUL and other control characters', 'a\0b\u0001\u009b', 'a\ufffdb\ufffd\ufffd'],
    ['what only a terminal obeys', 'a\u0007\b\u007fb\u000e', 'ab'],
    ['form feeds', 'a\fb', 'a\nb'],
    ['line ends of Windows', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['progress', 'get\n0%\r50%\r100%\nend\n', 'get\n0%\n100%\nend\n'],
    ['progress that clears the line', '\r\u001b[K1/9\r\u001b[K9/9\n', '9/9\n'],
    ['progress that goes to the first column', 'a\u001b[2K\u001b[1Gb\u001b[Gc\n', 'a\nc\n'],
    ['progress that ends without a line end', '1\r2\r3\r', '1\n3'],
    ['a line that begins with a return', '\rx\n', 'x\n'],
    ['nothing but returns', '\r\r\n\r', '\n'],
  ])('%s', (_name, text, wanted) => {
    expect(plain(text)).toBe(wanted)
  })

  it('reads the same wherever the pieces are cut', () => {
    const random = seededRandom(5)
    const pick = (count: number): number => Math.floor(random() * count)
    const bits = [
      'a',
      '\n',
      '\r',
      '\r\n',
      '\u001b[31m',
      '\u001b]0;t\u0007',
      '\u001bPq\u001b\\',
      '\u001b[G',
      '\0',
      '😀',
      '\u001b',
    ]
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: 12 }, () => bits[pick(bits.length)]).join('')
      const cuts = Array.from({ length: 4 }, () => pick(text.length)).sort((a, b) => a - b)
      expect([text, plain(text, cuts)]).toEqual([text, plain(text)])
    }
  })

  it('leaves neither escapes nor control characters of random bytes', () => {
    const random = seededRandom(6)
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 60 }, () => String.fromCharCode(Math.floor(random() * 170))).join('')
      expect(plain(text).replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u)
    }
  })

  it('shows a line that rests in the middle, once', () => {
    const output = createPlainOutput()
    expect(output.push('0%\r10%')).toBe('0%')
    expect(output.settle()).toBe('\n10%')
    expect(output.settle()).toBe('')
    expect(output.push('.\r')).toBe('.')
    expect(output.push('20%\n') + output.end()).toBe('\n20%\n')
  })

  it('does not wait for ever for a sequence or a line to end', () => {
    const output = createPlainOutput()
    expect(output.push(`\u001b]${'x'.repeat(5000)}`)).toBe('x'.repeat(5000))
    expect(output.push('\r').length + output.push('y'.repeat(70_000)).length).toBeGreaterThan(69_000)
  })
})

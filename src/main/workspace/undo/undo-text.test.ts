import { describe, expect, it } from 'vitest'
import { undoneText } from './undo-text.ts'

/** The content that undo makes; `a:` the assistant made this version, `u:` the user. */
function undone(first: string, ...versions: string[]): string | undefined {
  const known = versions.map((version) => ({
    bytes: Buffer.from(version.slice(2)),
    author: version.startsWith('a:') ? ('assistant' as const) : ('user' as const),
  }))
  return undoneText(Buffer.from(first), known, new Map())?.bytes.toString()
}

describe('an undo in a text', () => {
  it('gives a last line without a line end that of the file where a line comes back behind it', () => {
    expect(undone('x\r\na\r\nb', 'a:x\r\na', 'u:X\r\na')).toBe('X\r\na\r\nb')
    expect(undone('a\r\nb', 'a:a', 'u:A')).toBe('A\r\nb')
    expect(undone('x\na\nb', 'a:x\na', 'u:X\na')).toBe('X\na\nb')
  })

  it('takes back what a command wrote into a file of very many lines', () => {
    const many = 'line\n'.repeat(150_000)
    expect(undone('', `a:${many}`, `u:${many}mine\n`)).toBe('mine\n')
  })

  it('keeps two lines apart where the first of them was the last one in between, without a line end', () => {
    expect(undone('x\na\nc', 'a:x\na', 'a:x\nc\nb\nb', 'u:X\nc\nb\nb')).toBe('X\na\nc')
    expect(undone('x\r\na\r\nc', 'a:x\r\na', 'a:x\r\nc\r\nb\r\nb', 'u:X\r\nc\r\nb\r\nb')).toBe('X\r\na\r\nc')
  })
})

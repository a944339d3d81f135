import { describe, expect, it } from 'vitest'
import { transferText } from './transfer-text.ts'

describe('a transfer by hand', () => {
  const text = '一行目\n二行目'
  it.each([
    ['cursor', 1, 2, { at: 1, insert: '文' }],
    ['next_line_always', 1, 0, { at: 3, insert: '\n文' }],
    ['next_line_always', 5, 2, { at: 7, insert: '\n\n\n文' }],
    ['next_line_eol', 3, 1, { at: 3, insert: '\n\n文' }],
    ['next_line_eol', 2, 1, { at: 2, insert: '文' }],
    ['next_line_eol', 7, 0, { at: 7, insert: '\n文' }],
  ] as const)('%s at %i with %i blank lines', (mode, caret, blankLines, wanted) => {
    expect(transferText(text, caret, '文', { mode, blankLines })).toEqual(wanted)
  })
})

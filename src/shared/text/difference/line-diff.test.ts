import { describe, expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

describe('lineDiff', () => {
  it('shows nothing where nothing changed', () => {
    expect(lineDiff('雨\n風\n', '雨\n風\n')).toEqual([])
  })

  it('marks the changed characters within a line', () => {
    expect(lineDiff('雨が降る。\n', '雪が降る。\n')).toEqual([
      {
        kind: 'line',
        pieces: [
          { kind: 'removed', text: '雨' },
          { kind: 'added', text: '雪' },
          { kind: 'same', text: 'が降る。' },
        ],
      },
    ])
  })

  it('keeps lines around a change and counts what it leaves out', () => {
    const before = Array.from({ length: 9 }, (_, index) => `${index}`).join('\n')
    const rows = lineDiff(`${before}\n`, `${before}\n新\n`, 1)
    expect(rows).toEqual([
      { kind: 'skip', lines: 8 },
      { kind: 'line', pieces: [{ kind: 'same', text: '8' }] },
      { kind: 'line', pieces: [{ kind: 'added', text: '新' }] },
    ])
  })

  it('gives passages with little in common as two wholes', () => {
    expect(lineDiff('別の文章。\n', '　塔の時計は止まっていた。\n')).toEqual([
      { kind: 'line', pieces: [{ kind: 'removed', text: '別の文章。' }] },
      { kind: 'line', pieces: [{ kind: 'added', text: '　塔の時計は止まっていた。' }] },
    ])
  })

  it('gives a long rewritten passage as two wholes', () => {
    const rows = lineDiff('あ'.repeat(3000), 'い'.repeat(3000))
    expect(rows.map((row) => (row.kind === 'line' ? row.pieces.map((piece) => piece.kind) : row))).toEqual([
      ['removed'],
      ['added'],
    ])
  })
})

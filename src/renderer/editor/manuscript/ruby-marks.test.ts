import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { notationOf, rubyTarget } from './ruby-marks.ts'

/** `[` and `]` are the selection's ends, `|` is a caret. */
function target(marked: string) {
  const anchor = marked.search(/[[|]/)
  const head = marked.includes(']') ? marked.indexOf(']') - 1 : anchor
  const doc = marked.replaceAll(/[[\]|]/g, '')
  const found = rubyTarget(EditorState.create({ doc, selection: { anchor, head } }))
  return found && { source: doc.slice(found.from, found.to), base: found.base, reading: found.reading }
}

describe('what a reading is given to', () => {
  it.each([
    ['彼の[宿命]を', { source: '宿命', base: '宿命', reading: null }],
    ['彼の宿|命を', { source: '宿命', base: '宿命', reading: null }],
    ['彼の宿命|を', { source: '宿命', base: '宿命', reading: null }],
    ['彼の｜宿命《さだ|め》を', { source: '｜宿命《さだめ》', base: '宿命', reading: 'さだめ' }],
    ['その宿命《さだめ》|を', { source: '宿命《さだめ》', base: '宿命', reading: 'さだめ' }],
    ['《《大|事》》だ', { source: '《《大事》》', base: '大事', reading: null }],
    ['かな|だけ', null],
  ])('%s', (marked, found) => {
    expect(target(marked)).toEqual(found)
  })

  it('is written as the sites write it', () => {
    expect(notationOf('宿命', { kind: 'ruby', reading: 'さだめ' })).toBe('｜宿命《さだめ》')
    expect(notationOf('大事', { kind: 'emphasis' })).toBe('《《大事》》')
    expect(notationOf('大事', { kind: 'none' })).toBe('大事')
  })
})

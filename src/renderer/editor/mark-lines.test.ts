import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { findMarkLines, readMarks, updateMarkLines } from './mark-lines.ts'

describe('marks read from the lines with @', () => {
  it('dims what follows @endpoint to the end of the text, comments and plain lines alike', () => {
    const doc = Text.of(['本文', '@endpoint', '残り', '@// 覚え書き', '終わり', ''])
    expect(readMarks(doc, findMarkLines(doc))).toEqual([
      { from: 3, to: 12, kind: 'command' },
      { from: 12, to: 16, kind: 'outside' },
      { from: 16, to: 24, kind: 'comment' },
      { from: 24, to: 29, kind: 'outside' },
    ])
  })

  it('does not read anew for a change on lines without @', () => {
    const doc = Text.of(['@// 覚え書き', '雨が降る。', '@break', '夜。'])
    const changes = ChangeSet.of({ from: 12, insert: '夜、\n雨。' }, doc.length)
    expect(updateMarkLines(findMarkLines(doc), changes, changes.apply(doc)).isTouched).toBe(false)
  })
})

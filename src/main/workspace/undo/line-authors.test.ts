import { describe, expect, it } from 'vitest'
import { mergedText, openChanges, type Side } from '../../../shared/text/difference/three-way.ts'
import { type Author, withoutAssistant } from './line-authors.ts'

const text = (lines: string): string => lines.replaceAll(' ', '\n') + (lines === '' ? '' : '\n')

/** Shape: words stand for lines; `a:` the assistant made this version, `u:` the user. */
function undone(first: string, versions: string[], side: Side = 'current') {
  const chunks = withoutAssistant(
    text(first),
    versions.map((version) => ({
      text: text(version.slice(2)),
      author: (version.startsWith('a:') ? 'assistant' : 'user') satisfies Author,
    })),
  )
  const open = openChanges(chunks, new Map())
  const merged = mergedText(chunks, new Map(open.map((index) => [index, side])))
  return { merged: merged?.trim().replaceAll('\n', ' '), asked: open.length }
}

describe('what the assistant changed is taken back', () => {
  it.each([
    ['a lone change', '1 2 3', ['a:1 X 3'], '1 2 3'],
    ['the user wrote before it', '1 2 3', ['u:0 1 2 3', 'a:0 1 X 3'], '0 1 2 3'],
    ['the user wrote between two changes', '1 2 3', ['a:X 2 3', 'u:X 2 3 P', 'a:X 2 Y P'], '1 2 3 P'],
    ['the user wrote after it', '1 2 3', ['a:1 X 3', 'u:1 X 3 P'], '1 2 3 P'],
    ['right beside it', '1 2', ['a:1 2 A', 'u:1 2 A P'], '1 2 P'],
    ['right before it', '1 2', ['a:1 A 2', 'u:1 P A 2'], '1 P 2'],
    ['the user removed another line', '1 2 3 4', ['a:1 X 3 4', 'u:1 X 3'], '1 2 3'],
    ['the assistant removed what the user wrote', '1 2', ['u:1 P 2', 'a:1 2'], '1 P 2'],
    ['the assistant rewrote what the user wrote', '1 2', ['u:1 P 2', 'a:1 Q 2'], '1 P 2'],
    ['a file of the assistant with a chapter of the user', '', ['a:A B', 'u:A B P Q', 'a:A C P Q'], 'P Q'],
    ['nothing of the user is in it', '', ['a:A B', 'a:A C'], ''],
    ['the user put back the removed line', '1 2 3', ['a:1 3', 'u:1 2 3'], '1 2 3'],
    ['the user put back the replaced line', '1 2 3', ['a:1 X 3', 'u:1 2 3'], '1 2 3'],
  ])('%s', (_name, first, versions, wanted) => {
    expect(undone(first, versions)).toEqual({ merged: wanted, asked: 0 })
  })

  it('a change of line ends changes no line', () => {
    const chunks = withoutAssistant('1\n2\n', [
      { text: '1\nX\n', author: 'assistant' },
      { text: '1\r\nX\r\nP\r\n', author: 'user' },
    ])
    expect(mergedText(chunks, new Map())).toBe('1\r\n2\nP\r\n')
  })
})

describe('what both changed is asked about', () => {
  it.each<[string, string, string[], string, string]>([
    ['one line', '1 2 3', ['a:1 X 3', 'u:1 XP 3'], '1 XP 3', '1 2 3'],
    ['one line, with a new one below', '1 2', ['a:1 XX', 'u:1 XXa P'], '1 XXa P', '1 2 P'],
    ['one line, with a new one above', '1 2', ['a:1 XX', 'u:1 P XXa'], '1 P XXa', '1 P 2'],
    ['one of two lines', '1 2 3 4', ['a:1 X Y 4', 'u:1 X YP 4'], '1 2 YP 4', '1 2 3 4'],
    ['one line of a new chapter', '', ['a:A B C', 'u:A BP C'], 'BP', ''],
    ['in a change that grew', '1', ['a:X Y', 'u:Y', 'a:Z'], 'Z', '1'],
    ['the assistant rewrote it again', '1 2', ['a:1 X', 'u:1 XP', 'a:1 Y'], '1 Y', '1 2 XP'],
    ['the user wrote where the assistant removed', '1 2 3', ['a:1 3', 'u:1 P 3'], '1 P 3', '1 2 3'],
    ['the user threw the replacement away', '1 2 3', ['a:1 X 3', 'u:1 3'], '1 3', '1 2 3'],
  ])('%s', (_name, first, versions, kept, undoneText) => {
    expect(undone(first, versions)).toEqual({ merged: kept, asked: 1 })
    expect(undone(first, versions, 'speculated')).toEqual({ merged: undoneText, asked: 1 })
  })
})

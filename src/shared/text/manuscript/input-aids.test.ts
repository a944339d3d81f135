import { describe, expect, it } from 'vitest'
import { InputAids } from '../../domain/app/editor-settings.ts'
import { aidFor, type TypedLine } from './input-aids.ts'

/** `|` is the caret; what is typed stands there. */
function typed(line: string, text: string, options: Partial<TypedLine> & { aids?: Partial<InputAids> } = {}) {
  const [before = '', after = ''] = line.split('|')
  const { aids, ...known } = options
  const edit = aidFor(
    { before, typed: text, after, language: 'ja', isClosed: false, paired: null, isOffered: false, ...known },
    InputAids.parse(aids ?? {}),
  )
  if (edit === null) return null
  let whole = before + text + after
  for (const { from, to, insert } of [...edit.changes].reverse())
    whole = whole.slice(0, from) + insert + whole.slice(to)
  return `${whole.slice(0, edit.caret)}|${whole.slice(edit.caret)}`
}

describe('Japanese input aids', () => {
  it.each([
    ['　|', '「', '「|」'],
    ['|', '「', '「|」'],
    ['　|', '『', '『|』'],
    ['　|', '「雨', '「雨|」'],
    ['　|', '「雨」', '「雨」|'],
    ['　　|', '「', '　　「|」'],
    ['|雨', '「', null],
    ['彼は|', '「', null],
    ['雨|', '…', '雨……|'],
    ['雨…|', '…', null],
    ['雨……|', '…', '雨…………|'],
    ['雨|', '……', null],
    ['雨|', '―', '雨――|'],
    ['　|', '「…', '「……|」'],
    ['雨|', '風', null],
  ])('%s with %s', (line, text, result) => {
    expect(typed(line, text)).toBe(result)
  })

  it('take the sign that is typed by habit behind one of theirs', () => {
    expect(typed('「雨|」', '」', { isClosed: true })).toBe('「雨」|')
    expect(typed('「|」', '雨」', { isClosed: true })).toBe('「雨」|')
    expect(typed('「雨|」', '」')).toBeNull()
    expect(typed('雨……|', '…', { paired: '…' })).toBe('雨……|')
  })

  it('put nothing in behind the caret where something is offered', () => {
    expect(typed('　|', '「', { isOffered: true })).toBe('「|')
  })

  it.each([
    ['|', '3', 'full', '３|'],
    ['第|', '12', 'full', '第１２|'],
    ['第|', '１２', 'half', '第12|'],
    ['GPT|', '4', 'full', null],
    ['{1|', '2', 'full', null],
    ['第|', '12', 'typed', null],
  ] as const)('figures: %s with %s in %s width', (line, text, digits, result) => {
    expect(typed(line, text, { aids: { digits } })).toBe(result)
  })

  it('stay out of English text, of one that is off, and obey the choice of a language', () => {
    expect(typed('|', '「', { language: 'en' })).toBeNull()
    expect(typed('|', '「', { aids: { closesBrackets: false } })).toBeNull()
    expect(typed('雨|', '…', { aids: { pairsDashes: false } })).toBeNull()
    expect(typed('|', '「', { language: 'en', aids: { language: 'ja' } })).toBe('「|」')
    expect(typed('|', '"', { language: 'ja', aids: { language: 'en' } })).toBe('“|')
  })

  it('help in a text that has no language yet', () => {
    expect(typed('|', '「', { language: null })).toBe('「|」')
    expect(typed('|', '"', { language: null })).toBe('“|')
    expect(typed('|', '1', { language: null, aids: { digits: 'full' } })).toBeNull()
  })
})

describe('English input aids', () => {
  it.each([
    ['She said, |', '"', 'She said, “|'],
    ['“Yes.|', '"', '“Yes.”|'],
    ['It|', "'", 'It’|'],
    ['(|', "'", '(‘|'],
    ['wait -|', '-', 'wait —|'],
    ['wait-|', '-', 'wait—|'],
    ['-|', '-', null],
    ['well..|', '.', 'well…|'],
    ['{rain|', '"', null],
    ['@// "|', '"', null],
  ])('%s with %s', (line, text, result) => {
    expect(typed(line, text, { language: 'en' })).toBe(result)
  })

  it('are switched off one by one', () => {
    expect(typed('|', '"', { language: 'en', aids: { smartQuotes: false } })).toBeNull()
    expect(typed('wait-|', '-', { language: 'en', aids: { smartDashes: false } })).toBeNull()
  })
})

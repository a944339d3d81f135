import { getSearchQuery, SearchQuery, search, setSearchQuery } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { expect, it } from 'vitest'
import { CheckedQuery, holdExpressions } from './search-check.ts'
import { countMatches } from './search-count.ts'
import { scanText } from './search-scan.ts'

function asking(wanted: string, regexp = true) {
  const state = EditorState.create({ doc: '雨と雨と大雨', extensions: [search(), holdExpressions()] })
  return state.update({ effects: setSearchQuery.of(new SearchQuery({ search: wanted, regexp })) }).state
}

function answered(state: EditorState) {
  const text = state.doc.toString()
  const wanted = getSearchQuery(state)
  const found = scanText({
    text,
    search: wanted.search,
    isCaseSensitive: false,
    isWholeWord: false,
    limit: 100,
  })
  return state.update({ effects: setSearchQuery.of(new CheckedQuery(wanted, state.doc, found)) }).state
}

it('lets the window run no expression that was not tried on this very text', () => {
  const asked = asking('大?雨')
  expect(getSearchQuery(asked)).toMatchObject({ search: '大?雨', outcome: 'waiting', valid: false })
  const tried = answered(asked)
  expect(getSearchQuery(tried).valid).toBe(true)
  expect(getSearchQuery(tried.update({ selection: { anchor: 1 } }).state).valid).toBe(true)
  const edited = tried.update({ changes: { from: 0, insert: '夜' } }).state
  expect(getSearchQuery(edited)).toMatchObject({ outcome: 'waiting', valid: false })
  expect(getSearchQuery(answered(edited)).valid).toBe(true)
})

it('counts by what was found, without another run', () => {
  const tried = answered(asking('大?雨')).update({ selection: { anchor: 2, head: 3 } }).state
  expect(countMatches(tried)).toEqual({ at: 2, count: 3, isMore: false })
  expect(countMatches(asking('大?雨'))).toBeNull()
})

it('leaves plain words and broken expressions as they are', () => {
  expect(getSearchQuery(asking('雨', false)).valid).toBe(true)
  expect(getSearchQuery(asking('(雨'))).not.toBeInstanceOf(CheckedQuery)
})

it('stops looking where there are more matches than are counted', () => {
  const found = scanText({
    text: 'aaaaa',
    search: 'a',
    isCaseSensitive: false,
    isWholeWord: false,
    limit: 3,
  })
  expect(found).toEqual({ spans: [0, 1, 1, 2, 2, 3], isMore: true })
})

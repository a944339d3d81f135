import { SearchQuery, search, setSearchQuery } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { expect, it } from 'vitest'
import { countMatches } from './search-count.ts'

function stateWith(doc: string, wanted: string, regexp = false, anchor = 0, head = anchor) {
  const state = EditorState.create({ doc, extensions: [search()], selection: { anchor, head } })
  return state.update({ effects: setSearchQuery.of(new SearchQuery({ search: wanted, regexp })) }).state
}

it('says how many there are and which one is selected', () => {
  expect(countMatches(stateWith('雨と雨と雨', '雨', false, 2, 3))).toEqual({ at: 2, count: 3, isMore: false })
  expect(countMatches(stateWith('雨と雨', '雨', false, 1))).toEqual({ at: 0, count: 2, isMore: false })
})

it('says nothing of no query and of a broken expression', () => {
  expect(countMatches(stateWith('雨', ''))).toBeNull()
  expect(countMatches(stateWith('雨', '(', true))).toBeNull()
})

it('does not count on without end', () => {
  expect(countMatches(stateWith('a'.repeat(20_000), 'a'))).toEqual({ at: 0, count: 9_999, isMore: true })
})

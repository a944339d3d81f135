import { SearchQuery } from '@codemirror/search'
import { Text } from '@codemirror/state'

export type ScanRequest = {
  text: string
  search: string
  isCaseSensitive: boolean
  isWholeWord: boolean
  limit: number
}

/** Shape: `from` and `to` of one match after another. Units: half-open UTF-16 positions. */
export type ScanResult = { spans: number[]; isMore: boolean }

/** Finds the matches of an expression as the editor's own search finds them. */
export function scanText({ text, search, isCaseSensitive, isWholeWord, limit }: ScanRequest): ScanResult {
  const query = new SearchQuery({
    search,
    regexp: true,
    caseSensitive: isCaseSensitive,
    wholeWord: isWholeWord,
  })
  const spans: number[] = []
  const matches = query.getCursor(Text.of(text.split('\n')))
  for (let next = matches.next(); !next.done; next = matches.next()) {
    if (spans.length >= limit * 2) return { spans, isMore: true }
    spans.push(next.value.from, next.value.to)
  }
  return { spans, isMore: false }
}

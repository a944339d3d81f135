import { getSearchQuery, SearchQuery, setSearchQuery } from '@codemirror/search'
import { EditorState, type Extension, type Text, type Transaction } from '@codemirror/state'
import type { ScanResult } from './search-scan.ts'

/** State of an expression: its matches, too slow, or nothing known yet. */
type Outcome = ScanResult | 'waiting' | 'too-slow'

/**
 * A regular expression together with the text that it was tried on.
 *
 * CodeMirror runs an expression in the window's own thread, where one that backtracks without end stops everything. It
 * runs only a query that is `valid`; this one is valid only once a separate thread has run it to the text's end.
 */
export class CheckedQuery extends SearchQuery {
  override readonly valid: boolean
  readonly doc: Text
  readonly outcome: Outcome

  constructor(query: SearchQuery, doc: Text, outcome: Outcome) {
    super({
      search: query.search,
      replace: query.replace,
      caseSensitive: query.caseSensitive,
      wholeWord: query.wholeWord,
      literal: query.literal,
      regexp: true,
    })
    this.valid = typeof outcome === 'object'
    this.doc = doc
    this.outcome = outcome
  }
}

/** Holds back each regular expression that was not tried on exactly the text that a transaction leaves. */
export function holdExpressions(): Extension {
  return EditorState.transactionExtender.of((transaction) => {
    const query = queryOf(transaction)
    if (!query.regexp || (!query.valid && !(query instanceof CheckedQuery))) return null
    if (query instanceof CheckedQuery && query.doc === transaction.newDoc) return null
    return { effects: setSearchQuery.of(new CheckedQuery(query, transaction.newDoc, 'waiting')) }
  })
}

function queryOf({ effects, startState }: Transaction): SearchQuery {
  return effects.findLast((effect) => effect.is(setSearchQuery))?.value ?? getSearchQuery(startState)
}

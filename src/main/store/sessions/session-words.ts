import { segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'

/** Characters of an excerpt on either side of the hit. */
const excerptChars = 60

/** Returns the text of an item that is searched: what people and models said, and what calls were about. */
export function itemText(item: SessionItem): string {
  switch (item.kind) {
    case 'user':
      return segmentsText(item.segments)
    case 'file':
      return item.path
    case 'answer':
      return item.text
    case 'call':
      return item.title
    case 'question':
      return [item.question, item.answer ?? ''].join('\n')
    case 'decision':
      return item.decision.rationale
    case 'compaction':
      return item.summary
    case 'gate':
    case 'notice':
    case 'error':
    case 'undo':
    case 'folder':
      return ''
  }
}

/** Folds a text for a search: width, case and kinds of space do not matter. */
export function searchKey(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

/** Returns the part of a text around the first of the words, in one line. */
export function excerptOf(text: string, words: readonly string[]): string {
  const key = searchKey(text)
  const places = words.map((word) => key.indexOf(word)).filter((place) => place >= 0)
  const from = Math.max(0, Math.min(...places, key.length) - excerptChars)
  const to = Math.min(key.length, from + 2 * excerptChars)
  // Widths may have changed: the excerpt is of the normalised text, which reads the same.
  const line = text.normalize('NFKC').replace(/\s+/gu, ' ').trim()
  const source = line.length === key.length ? line : key
  const cut = source.slice(from, to).toWellFormed().replaceAll('\ufffd', '')
  return `${from > 0 ? '…' : ''}${cut}${to < key.length ? '…' : ''}`
}

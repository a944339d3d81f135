import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'

/** Characters of an excerpt on either side of what was found. */
const excerptChars = 60

/** What a search finds an item by: what people and models said, and what calls were about. */
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

/** A text without what does not matter to a search: width, case, kinds of space. */
export function searchKey(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

/** A stretch of the text around the first of the words, in one line. */
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

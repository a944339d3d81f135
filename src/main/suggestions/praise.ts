import { anyPhrase } from './phrase-pattern.ts'
import type { SuggestionWords } from './suggestion-words.ts'

/** Character class of the marks that separate praise from other text. */
const separator = '[,.;:!、。–—\\-]'

/**
 * Returns a test for keys that only praise or thank: praise at the start, and no separator with anything else after it.
 *
 * Source: `docs/decisions/suggestions.md`, rule 13.
 */
export function createPraise({ praise }: SuggestionWords): (key: string) => boolean {
  const start = new RegExp(`^(?!${anyPhrase(praise.exceptions)})${anyPhrase(praise.phrases)}`, 'v')
  const opener = new RegExp(`^${anyPhrase(praise.openers)}(?:\\s|${separator})*`, 'v')
  const joint = new RegExp(separator, 'v')
  const notSaid = new RegExp(`^(?:\\s|${separator}|${anyPhrase(praise.connectives)})+`, 'v')

  function afterPraise(key: string): string | null {
    for (let rest = key; rest !== ''; ) {
      const found = start.exec(rest)
      if (found !== null) return rest.slice(found[0].length)
      const open = opener.exec(rest)
      if (open === null) return null
      rest = rest.slice(open[0].length)
    }
    return null
  }

  return function isPraise(key: string): boolean {
    const rest = afterPraise(key)
    if (rest === null) return false
    const at = rest.search(joint)
    const more = at < 0 ? '' : rest.slice(at).replace(notSaid, '')
    return !/[\p{L}\p{N}]/u.test(more) || isPraise(more)
  }
}

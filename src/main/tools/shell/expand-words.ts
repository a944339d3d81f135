import { type TextMatch, textGlob } from '../../../shared/text/paths/glob.ts'

/**
 * Returns the names in a folder; none where it cannot be listed, null where only some of them are known. Shape: a path
 * relative to the line's, or absolute.
 */
export type NamesIn = (folder: string) => Promise<readonly string[] | null>

const limitNames = 500
const limitEntries = 20_000
/** Characters that stand for themselves in every shell, in every language and with every option. */
const plain = /^[^*?[\]{}()'"\\$`~!^|&;<>\s]+/u
const set = /^\[((?:[A-Za-z0-9_.,+@]|(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]))+)\]/

/**
 * Returns the names that a pattern matches now, as literal text. It may have `*`, `?`, and sets of letters and digits
 * such as `[abc]` and `[a-z]`.
 *
 * Shape: names that begin with a point only where the pattern does; what follows the last pattern in a path is not
 * looked up. Null for any other form (classes of a language, alternatives, negations, quotes, `..`), and for too many
 * names.
 */
export async function globNames(namesIn: NamesIn, pattern: string): Promise<string[] | null> {
  const parts = pattern.split('/').filter((name) => name !== '')
  const tests = parts.map(nameTest)
  if (parts.length === 0 || parts.includes('..') || tests.includes(null)) return null
  let found = [pattern.startsWith('/') ? '/' : '']
  let seen = 0
  for (const [index, part] of parts.entries()) {
    const test = tests[index]
    const next: string[] = []
    for (const folder of found) {
      const names = test === 'text' ? [part] : await namesIn(folder === '' ? '.' : folder)
      if (names === null) return null
      seen += names.length
      if (seen > limitEntries) return null
      const named = names.filter(
        (name) =>
          test === 'text' || (test?.(name) === true && (!name.startsWith('.') || part.startsWith('.'))),
      )
      next.push(...named.sort().map((name) => `${folder}${name}/`))
    }
    found = next
  }
  const isFolder = pattern.endsWith('/')
  return found.length > limitNames ? null : found.map((path) => (isFolder ? path : path.slice(0, -1)))
}

const mostRuns = 3

/** Returns the test of a pattern: `text` for a name without one, null for one that is not understood. */
function nameTest(part: string): TextMatch | 'text' | null {
  if (plain.exec(part)?.[0] === part) return 'text'
  let isEmpty = false
  for (let rest = part; rest !== ''; ) {
    const [letters, inside = ''] = set.exec(rest) ?? []
    // A set such as `[z-a]` matches nothing.
    if ([...inside.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to)) isEmpty = true
    const understood = plain.exec(rest)?.[0] ?? letters ?? /^[*?]/.exec(rest)?.[0]
    if (understood === undefined) return null
    rest = rest.slice(understood.length)
  }
  if ((part.match(/\*+/g) ?? []).length > mostRuns) return null
  return isEmpty ? () => false : textGlob(part, { hasSets: true })
}

const limitWords = 1000
const plainText = /^[^{}\s'"\\$`!]*$/
const range = /^(-?\d{1,6})\.\.(-?\d{1,6})$/
const letterRange = /^([a-z])\.\.([a-z])$|^([A-Z])\.\.([A-Z])$/
const braces = /\{([^{}]*)\}/

/**
 * Returns the words that a text with braces expands to: lists and ranges that are not nested.
 *
 * Shape: null for any other form, and for more than a thousand words.
 */
export function braceWords(raw: string): string[] | null {
  let found = ['']
  let rest = raw
  for (let match = braces.exec(rest); match !== null; match = braces.exec(rest)) {
    const [whole, inside = ''] = match
    const choices = choicesOf(inside)
    const before = rest.slice(0, match.index)
    if (choices === null || !plainText.test(before) || found.length * choices.length > limitWords) return null
    found = found.flatMap((text) => choices.map((choice) => text + before + choice))
    rest = rest.slice(match.index + whole.length)
  }
  return plainText.test(rest) ? found.map((text) => text + rest) : null
}

/** True where the shell expands a text to few words: one list without a range, or a form that `braceWords` knows. */
export function isSmallBrace(raw: string): boolean {
  const isOneList = raw.indexOf('{') === raw.lastIndexOf('{') && !raw.includes('..')
  return isOneList || braceWords(raw) !== null
}

function choicesOf(inside: string): string[] | null {
  const numbers = range.exec(inside)
  if (numbers !== null) return steps(Number(numbers[1]), Number(numbers[2]), String, inside)
  const named = letterRange.exec(inside)
  if (named !== null) {
    const [from = '', to = ''] = named.slice(1).filter((letter) => letter !== undefined)
    return steps(from.charCodeAt(0), to.charCodeAt(0), (code) => String.fromCharCode(code), '')
  }
  const choices = inside.split(',')
  return choices.length > 1 && choices.every((choice) => choice !== '' && !choice.includes('..'))
    ? choices
    : null
}

function steps(from: number, to: number, textOf: (at: number) => string, written: string): string[] | null {
  // Ranges of numbers that begin with 0 are refused: the shell would pad them with zeros.
  if (/(?:^|\D)0\d/.test(written) || Math.abs(to - from) >= limitWords) return null
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => textOf(from + index * step))
}

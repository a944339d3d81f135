import { type TextMatch, textGlob } from '../../../shared/text/glob.ts'

/** The names in a folder, relative to where the line is run or absolute; none where it cannot be listed. */
export type NamesIn = (folder: string) => Promise<readonly string[]>

const limitNames = 500
const limitEntries = 20_000
/** Nothing that any shell, in any language or with any option set, reads as more than itself. */
const plain = /^[^*?[\]{}()'"\\$`~!^|&;<>\s]+/u
const set = /^\[((?:[A-Za-z0-9_.,+@]|(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]))+)\]/

/**
 * What a pattern names now, each as literal text: `*`, `?`, and sets of letters and digits such as `[abc]`, `[a-z]`.
 *
 * Shape: names that begin with a point only where the pattern does. Null for any other form (classes of a language,
 * alternatives, negations, quotes, `..`), and for too many names.
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
      seen += names.length
      if (seen > limitEntries) return null
      const named = names.filter((name) => test === 'text' || isNamed(test, part, name))
      next.push(...named.sort().map((name) => `${folder}${name}/`))
    }
    found = next
  }
  const isFolder = pattern.endsWith('/')
  return found.length > limitNames ? null : found.map((path) => (isFolder ? path : path.slice(0, -1)))
}

function isNamed(test: TextMatch | null | undefined, part: string, name: string): boolean {
  return test?.(name) === true && (!name.startsWith('.') || part.startsWith('.'))
}

const mostRuns = 3

/** `text` for a name without a pattern; null for one that is not understood. */
function nameTest(part: string): TextMatch | 'text' | null {
  if (plain.exec(part)?.[0] === part) return 'text'
  let isEmpty = false
  for (let rest = part; rest !== ''; ) {
    const [letters, inside = ''] = set.exec(rest) ?? []
    if (letters !== undefined && !isAscending(inside)) isEmpty = true
    const understood = plain.exec(rest)?.[0] ?? letters ?? /^[*?]/.exec(rest)?.[0]
    if (understood === undefined) return null
    rest = rest.slice(understood.length)
  }
  if ((part.match(/\*+/g) ?? []).length > mostRuns) return null
  return isEmpty ? () => false : textGlob(part, { hasSets: true })
}

/** `[z-a]` names nothing. */
function isAscending(letters: string): boolean {
  return [...letters.matchAll(/(.)-(.)/g)].every(([, from = '', to = '']) => from <= to)
}

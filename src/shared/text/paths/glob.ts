export type TextMatch = (text: string) => boolean

/**
 * How a pattern of paths is read.
 *
 * `wide`, for refusing: ignores letter case; a name without a slash matches anywhere, with everything under it.
 * `exact`, for allowing: matches as written, from the folder down. Both normalise composed letters, and take
 * `\` for a slash in paths, so that a path that only Windows reads so is compared either way. `search`: a name without
 * a slash matches anywhere, `\` escapes a character, and `**` at the end stands for at least one name.
 */
export type GlobDialect = 'wide' | 'exact' | 'search'

type Token = { kind: 'run' } | { kind: 'one'; accepts: TextMatch }
type Part = '**' | TextMatch

const limitAlternatives = 64

/**
 * Compiles a pattern for a text in which `/` has no meaning: `*` is any run of characters, `hasSets` adds `?` and
 * `[abc]`, and `hasEscapes` a `\` that escapes a character.
 *
 * At worst the time grows with the product of both lengths, since patterns also come from untrusted folders.
 */
export function textGlob(pattern: string, dialect: { hasSets: boolean; hasEscapes?: boolean }): TextMatch {
  const tokens = tokensOf(Array.from(pattern), dialect)
  return (text) => isText(tokens, Array.from(text))
}

/**
 * Compiles a pattern for paths: `*`, `?`, `[abc]` within a name, `**` for any run of folders, `{a,b}` for either.
 *
 * With too many alternatives `wide` matches all, `exact` only the text itself, and `search` nothing. Takes time in
 * proportion to pattern and path.
 */
export function pathGlob(pattern: string, dialect: GlobDialect): TextMatch {
  const whole = spelled(pattern, dialect)
  const tooMany: Record<GlobDialect, string[]> = { wide: ['**'], exact: [whole], search: [] }
  const globs = (alternativesOf(whole, dialect) ?? tooMany[dialect]).map((one) => partsOf(one, dialect))
  return (path) => {
    const names = namesIn(spelled(path, dialect), dialect)
    return globs.some((parts) => isPath(parts, names, dialect))
  }
}

/** Splits a path into its names; `\` separates names as well. */
export function namesOf(path: string): string[] {
  return namesIn(path, 'exact')
}

/** Expands `{a,b}`; null for too many. An unclosed brace is text, one without a choice, too, but in `search`. */
export function alternativesOf(pattern: string, dialect: GlobDialect): string[] | null {
  const isSearch = dialect === 'search'
  // Each comma makes at least one more.
  const commas = bracesOf(pattern, isSearch).reduce((sum, brace) => sum + brace.commas.length, 0)
  if (commas >= limitAlternatives) return null
  let found = [pattern]
  for (;;) {
    let isDone = true
    const next = found.flatMap((text) => {
      const braces = bracesOf(text, isSearch).filter((brace) => isSearch || brace.commas.length > 0)
      const [one, ...others] = braces
      if (one === undefined) return [text]
      const first = others.reduce((least, other) => (other.from < least.from ? other : least), one)
      isDone = false
      const marks = [first.from, ...first.commas, first.end]
      const choices = marks.slice(1).map((mark, index) => text.slice((marks[index] ?? 0) + 1, mark))
      return choices.map((choice) => text.slice(0, first.from) + choice + text.slice(first.end + 1))
    })
    if (isDone) return found
    if (next.length > limitAlternatives) return null
    found = next
  }
}

/** A pair of braces. Shape: positions of the two, and of the commas between them that lie in no inner pair. */
type Brace = { from: number; end: number; commas: number[] }

/** Finds all closed pairs in one pass: a pattern may be as long as a file. */
function bracesOf(pattern: string, hasEscapes: boolean): Brace[] {
  const closed: Brace[] = []
  const open: Omit<Brace, 'end'>[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (hasEscapes && character === '\\') at++
    else if (character === '{') open.push({ from: at, commas: [] })
    else if (character === ',') open.at(-1)?.commas.push(at)
    else if (character === '}') {
      const brace = open.pop()
      if (brace !== undefined) closed.push({ ...brace, end: at })
    }
  }
  return closed
}

function spelled(text: string, dialect: GlobDialect): string {
  if (dialect === 'search') return text
  const composed = text.normalize('NFC')
  return dialect === 'wide' ? composed.toLowerCase() : composed
}

function namesIn(path: string, dialect: GlobDialect): string[] {
  return path.split(dialect === 'search' ? '/' : /[/\\]/).filter((name) => name !== '' && name !== '.')
}

function partsOf(pattern: string, dialect: GlobDialect): Part[] {
  const all = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const names = dialect === 'search' ? all.map((name) => name.replace(/^\*{3,}$/, '**')) : all
  const isName = names.length === 1 && !pattern.startsWith('/') && names[0] !== '**'
  // What is under a folder is refused with the folder itself.
  if (dialect === 'wide' && names.length > 1 && names.at(-1) === '**') names.pop()
  if (dialect === 'search' && names.at(-1) === '**') names.push('*')
  const rules = { hasSets: true, hasEscapes: dialect === 'search' }
  const parts = names.map((name): Part => (name === '**' ? '**' : textGlob(name, rules)))
  return dialect !== 'exact' && isName ? ['**', ...parts] : parts
}

/** Tracks which parts may come next after each name, so that the work is at most names times parts. */
function isPath(parts: readonly Part[], names: readonly string[], dialect: GlobDialect): boolean {
  let reached = withRuns(parts, new Set([0]))
  for (const name of names) {
    if (dialect === 'wide' && reached.has(parts.length)) return true
    const next = new Set<number>()
    for (const at of reached) {
      const part = parts[at]
      if (part === '**') next.add(at)
      else if (part?.(name)) next.add(at + 1)
    }
    reached = withRuns(parts, next)
  }
  return reached.has(parts.length)
}

/** Adds the parts after each `**`: a run of folders may be empty. */
function withRuns(parts: readonly Part[], reached: Set<number>): Set<number> {
  for (const at of reached) if (parts[at] === '**') reached.add(at + 1)
  return reached
}

function tokensOf(
  chars: readonly string[],
  { hasSets, hasEscapes = false }: { hasSets: boolean; hasEscapes?: boolean },
): Token[] {
  const tokens: Token[] = []
  const literal = (char: string): Token => ({ kind: 'one', accepts: (other) => other === char })
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    const end = hasSets && char === '[' ? chars.indexOf(']', at + 2) : -1
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'run') tokens.push({ kind: 'run' })
    } else if (hasSets && char === '?') tokens.push({ kind: 'one', accepts: () => true })
    else if (end > 0) {
      tokens.push({ kind: 'one', accepts: setOf(chars.slice(at + 1, end)) })
      at = end
    } else if (hasEscapes && char === '\\' && at + 1 < chars.length) tokens.push(literal(chars[++at] ?? ''))
    else tokens.push(literal(char))
  }
  return tokens
}

function setOf(chars: readonly string[]): TextMatch {
  const isNegated = chars[0] === '!' || chars[0] === '^'
  const members = isNegated ? chars.slice(1) : chars
  const isMember = (char: string): boolean =>
    members.some((member, at) => {
      if (member === '-' && at > 0 && at < members.length - 1) {
        return (members[at - 1] ?? '') <= char && char <= (members[at + 1] ?? '')
      }
      return member === char
    })
  return (char) => isMember(char) !== isNegated
}

/** Backtracks only to the last run: an earlier one never needs to take more. */
function isText(tokens: readonly Token[], text: readonly string[]): boolean {
  let at = 0
  let token = 0
  let back: { token: number; at: number } | null = null
  while (at < text.length) {
    const wanted = tokens[token]
    if (wanted?.kind === 'run') {
      back = { token, at }
      token += 1
    } else if (wanted?.accepts(text[at] ?? '')) {
      at += 1
      token += 1
    } else if (back !== null) {
      back.at += 1
      at = back.at
      token = back.token + 1
    } else return false
  }
  return tokens.slice(token).every(({ kind }) => kind === 'run')
}

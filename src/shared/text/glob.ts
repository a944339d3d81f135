/** Says whether a text is what a pattern describes. */
export type TextMatch = (text: string) => boolean

/**
 * How a pattern of paths is read.
 *
 * `wide`, for refusing: in any letter case, a name without a slash anywhere, and everything under what it names.
 * `exact`, for allowing: as it stands, from the folder down. Both take the compositions of a letter for the same, and
 * `\` for a slash in paths: a path that only Windows reads so is compared either way. `search`: a name without a slash
 * anywhere, `\` before a character that is meant as it is, and `**` at the end stands for at least one name.
 */
export type GlobDialect = 'wide' | 'exact' | 'search'

type Token = { kind: 'run' } | { kind: 'one'; accepts: TextMatch }
type Part = '**' | TextMatch

const limitAlternatives = 64

/**
 * A pattern of one text, `/` as any other character: `*` is any run of characters, `hasSets` adds `?` and `[abc]`, and
 * `hasEscapes` a `\` before a character that is meant as it is.
 *
 * Takes time with the product of both lengths at worst: patterns also come from folders that nobody trusts.
 */
export function textGlob(pattern: string, dialect: { hasSets: boolean; hasEscapes?: boolean }): TextMatch {
  const tokens = tokensOf(Array.from(pattern), dialect)
  return (text) => isText(tokens, Array.from(text))
}

/**
 * A pattern of paths: `*`, `?`, `[abc]` within a name, `**` for any run of folders, `{a,b}` for either.
 *
 * With too many alternatives `wide` takes everything, `exact` only the text itself, and `search` nothing. Takes time in
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

/** A path's names, `\` between them as well. */
export function namesOf(path: string): string[] {
  return namesIn(path, 'exact')
}

/**
 * `{a,b}` written out; null for too many.
 *
 * Shape: a brace that is never closed is text, and so is one without a choice, but in `search`.
 */
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

/** A pair of braces. Shape: places of the two, and of the commas between them that lie in no inner pair. */
type Brace = { from: number; end: number; commas: number[] }

/** All that are closed, in one pass: a pattern may be as long as a file. */
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

/** Which parts may come next, after each name: never more work than names times parts. */
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

/** A run of folders may be empty. */
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

/** Goes back only to the last run: an earlier one need never take more. */
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

/**
 * A glob over paths of a folder.
 *
 * Shape: `folder` is the part without wildcards at its beginning ('' for none). `names` are globs of file names
 * one of which every match has; null where the pattern says nothing about names.
 */
export type GlobPattern = {
  matches(path: string): boolean
  folder: string
  names: string[] | null
}

/** Longer patterns are nobody's. Units: UTF-16 code units, alternatives. */
const limitLength = 500
const limitAlternatives = 64

/**
 * Reads a glob: `*` and `?` within a name, `**` over folders, `[a-z]`, `[!a]`, `{a,b}`, `\` before a character
 * that is meant as it is. Without a `/` it is a name in any folder, as in ignore files.
 *
 * Undefined for one that is too long or too many at once, or has a NUL. Matching takes time in proportion to pattern and
 * path, whatever the pattern is.
 */
export function parseGlob(pattern: string): GlobPattern | undefined {
  if (pattern.length > limitLength || pattern.includes('\0')) return undefined
  const alternatives = expandBraces(pattern.replace(/^(?:\.?\/)+/, ''))
  if (alternatives === undefined) return undefined
  const programs = alternatives.map((alternative) => {
    return { isName: !alternative.includes('/') && alternative !== '**', steps: compile(alternative) }
  })
  const names = alternatives.map((one) => one.split('/').at(-1) ?? '')
  const isAnyName = names.some((name) => name === '' || /^\*+$/.test(name) || /[:[\\]/.test(name))
  const folders = new Set(alternatives.map(staticFolder))
  return {
    matches(path) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return programs.some(({ isName, steps }) => runs(steps, isName ? name : path))
    },
    folder: folders.size === 1 ? ([...folders][0] ?? '') : '',
    names: isAnyName ? null : [...new Set(names)],
  }
}

/** Undefined where there are too many. */
function expandBraces(pattern: string): string[] | undefined {
  const from = findUnescaped(pattern, '{', 0)
  if (from < 0) return [pattern]
  const parts: string[] = []
  let depth = 0
  let start = from + 1
  for (let at = from; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '{') depth++
    else if (character === ',' && depth === 1) {
      parts.push(pattern.slice(start, at))
      start = at + 1
    } else if (character === '}' && --depth === 0) {
      parts.push(pattern.slice(start, at))
      return collect(parts, pattern.slice(0, from), pattern.slice(at + 1))
    }
  }
  // One that never closes is meant as it is.
  return collect(['\\{'], pattern.slice(0, from), pattern.slice(from + 1))
}

function collect(parts: string[], before: string, after: string): string[] | undefined {
  const all: string[] = []
  for (const part of parts) {
    const rest = expandBraces(part + after)
    if (rest === undefined) return undefined
    for (const one of rest) all.push(before + one)
    if (all.length > limitAlternatives) return undefined
  }
  return all
}

function findUnescaped(pattern: string, wanted: string, from: number): number {
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern[at] === wanted) return at
  }
  return -1
}

function staticFolder(pattern: string): string {
  const folders = pattern.split('/').slice(0, -1)
  const wild = folders.findIndex((name) => /[*?[\\]/.test(name))
  return folders.slice(0, wild < 0 ? folders.length : wild).join('/')
}

/** `star` any characters of a name, `deep` any folders: nothing, or names each with its `/`. */
type Step = { kind: 'one'; isMatch: (character: string) => boolean } | { kind: 'star' } | { kind: 'deep' }

function compile(pattern: string): Step[] {
  const steps: Step[] = []
  const characters = [...pattern]
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === '*' && characters[at + 1] === '*') {
      const isWhole = at === 0 || characters[at - 1] === '/'
      while (characters[at + 1] === '*') at++
      if (isWhole && characters[at + 1] === '/') {
        at++
        steps.push({ kind: 'deep' })
      } else if (isWhole && at + 1 === characters.length) steps.push({ kind: 'deep' }, { kind: 'star' })
      else steps.push({ kind: 'star' })
    } else if (character === '*') steps.push({ kind: 'star' })
    else if (character === '?') steps.push({ kind: 'one', isMatch: (found) => found !== '/' })
    else if (character === '[') {
      const end = characters.indexOf(']', at + 2)
      if (end < 0) steps.push(literal('['))
      else steps.push(characterClass(characters.slice(at + 1, end)))
      if (end >= 0) at = end
    } else if (character === '\\' && at + 1 < characters.length) steps.push(literal(characters[++at] ?? ''))
    else steps.push(literal(character))
  }
  return steps
}

function literal(character: string): Step {
  return { kind: 'one', isMatch: (found) => found === character }
}

function characterClass(inside: readonly string[]): Step {
  const isNegated = inside[0] === '!' || inside[0] === '^'
  const members = isNegated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? ''
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([from, isRange ? (members[at + 2] ?? from) : from])
    if (isRange) at += 2
  }
  const isMember = (found: string): boolean => ranges.some(([from, to]) => found >= from && found <= to)
  return { kind: 'one', isMatch: (found) => found !== '/' && isMember(found) !== isNegated }
}

/** All places of the program at once, so that no pattern makes it go back. */
function runs(program: readonly Step[], path: string): boolean {
  let places = new Set<number>()
  const enter = (into: Set<number>, at: number): void => {
    if (into.has(at)) return
    into.add(at)
    if (program[at]?.kind === 'star' || program[at]?.kind === 'deep') enter(into, at + 1)
  }
  enter(places, 0)
  let isNameStart = true
  for (const character of path) {
    const next = new Set<number>()
    for (const at of places) {
      const step = program[at]
      if (step === undefined) continue
      if (step.kind === 'one') {
        if (step.isMatch(character)) enter(next, at + 1)
      } else if (step.kind === 'star') {
        if (character !== '/') enter(next, at)
      } else if (character === '/') enter(next, at)
      else next.add(at)
    }
    places = next
    isNameStart = character === '/'
  }
  return !isNameStart && places.has(program.length)
}

import { type TextMatch, wildcard } from './wildcard.ts'

/**
 * How a pattern of paths is read.
 *
 * `wide`, for refusing: in any letter case, a name without a slash anywhere, and everything under what it
 * names. `exact`, for allowing: as it stands, from the folder down.
 */
export type GlobReach = 'wide' | 'exact'

type Part = '**' | TextMatch

const limitAlternatives = 64

/** A pattern of paths: `*`, `?`, `[abc]` within a name, `**` for any run of folders, `{a,b}` for either. */
export function pathGlob(pattern: string, reach: GlobReach): TextMatch {
  const isWide = reach === 'wide'
  const whole = spelled(pattern, isWide)
  // Too many to write out: refusing takes everything, allowing nothing but the text itself.
  const choices = alternatives(whole) ?? [isWide ? '**' : whole]
  const globs = choices.map((choice) => partsOf(choice, isWide))
  return (path) => {
    const names = namesOf(spelled(path, isWide))
    return globs.some((parts) => isMatch(parts, names, isWide))
  }
}

/** A path's names. Shape: `\` parts names too: a path that only Windows reads so is looked at either way. */
export function namesOf(path: string): string[] {
  return path.split(/[/\\]/).filter((name) => name !== '' && name !== '.')
}

function spelled(text: string, isWide: boolean): string {
  const composed = text.normalize('NFC')
  return isWide ? composed.toLowerCase() : composed
}

function partsOf(pattern: string, isWide: boolean): Part[] {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const isName = names.length === 1 && !pattern.startsWith('/') && names[0] !== '**'
  // What is under a folder is refused with the folder itself.
  if (isWide && names.length > 1 && names.at(-1) === '**') names.pop()
  const parts = names.map((name): Part => (name === '**' ? '**' : wildcard(name, true)))
  return isWide && isName ? ['**', ...parts] : parts
}

/** Which parts may come next, after each name: never more work than names times parts. */
function isMatch(parts: readonly Part[], names: readonly string[], isWide: boolean): boolean {
  let reached = withRuns(parts, new Set([0]))
  for (const name of names) {
    if (isWide && reached.has(parts.length)) return true
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

/** `{a,b}` written out; null for too many. */
function alternatives(pattern: string): string[] | null {
  let found = [pattern]
  for (;;) {
    const next = found.flatMap((text) => {
      const brace = /\{([^{}]*,[^{}]*)\}/.exec(text)
      if (brace === null) return [text]
      const [whole, list = ''] = brace
      return list.split(',').map((choice) => {
        return text.slice(0, brace.index) + choice + text.slice(brace.index + whole.length)
      })
    })
    if (next.length === found.length) return next
    if (next.length > limitAlternatives) return null
    found = next
  }
}

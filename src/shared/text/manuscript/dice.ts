import { trimWhiteSpace } from '../white-space.ts'

/** A die in a text. Units: half-open UTF-16 positions of `{…}`. Shape: equal options make that one likelier. */
export type Die = { from: number; to: number; source: string; options: string[] }

/**
 * Finds the dice `{A|B|"C D"}` of a text; blocks without an option are none and stay literal.
 *
 * Source: `docs/decisions/drafting.md`, "Dynamic prompts, comments, range"; no nesting, no escapes.
 */
export function findDice(text: string): Die[] {
  const dice: Die[] = []
  for (const match of text.matchAll(/\{([^}]+)\}/g)) {
    const options = optionsOf(match[1] ?? '')
    if (options.length === 0) continue
    dice.push({ from: match.index, to: match.index + match[0].length, source: match[0], options })
  }
  return dice
}

/** Replaces each die by what was chosen for its source; a die without a valid choice gets its first option. */
export function settleDice(text: string, choices: Readonly<Record<string, string>>): string {
  let settled = ''
  let from = 0
  for (const { from: at, to, source, options } of findDice(text)) {
    const chosen = Object.hasOwn(choices, source) ? choices[source] : undefined
    settled += text.slice(from, at)
    settled += chosen !== undefined && options.includes(chosen) ? chosen : (options[0] ?? '')
    from = to
  }
  return settled + text.slice(from)
}

function optionsOf(inner: string): string[] {
  const options: string[] = []
  for (const [match] of inner.matchAll(/"[^"]*"|'[^']*'|[^|]+/g)) {
    const option = trimWhiteSpace(match)
    if (option !== '') options.push(withoutQuotes(option))
  }
  return options
}

function withoutQuotes(option: string): string {
  const isQuoted = ['"', "'"].some(
    (quote) => option.length > 1 && option.startsWith(quote) && option.endsWith(quote),
  )
  return isQuoted ? option.slice(1, -1) : option
}

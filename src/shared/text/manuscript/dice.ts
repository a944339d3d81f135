import { trimWhiteSpace } from '../white-space.ts'

/** A die in a text. Units: half-open UTF-16 positions of `{…}`. Shape: a repeated option is likelier. */
export type Die = { from: number; to: number; source: string; options: string[] }

/**
 * Finds the dice `{A|B|"C D"}` of a text; braces without an option are no dice and stay literal.
 *
 * Source: `docs/decisions/drafting.md`, "Dynamic prompts, comments, range"; no nesting, no escapes.
 */
export function findDice(text: string): Die[] {
  const dice: Die[] = []
  // Searches for the brackets: a regular expression would look for an end from each opening without one.
  for (let from = text.indexOf('{'); from >= 0; ) {
    const end = text.indexOf('}', from)
    if (end < 0) break
    const options = optionsOf(text.slice(from + 1, end))
    if (options.length > 0) dice.push({ from, to: end + 1, source: text.slice(from, end + 1), options })
    from = text.indexOf('{', end)
  }
  return dice
}

/** Replaces each die by the choice for its source; a die without a valid choice gets its first option. */
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

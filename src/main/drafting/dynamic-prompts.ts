import { trimWhiteSpace } from '../../shared/text/white-space.ts'
import type { Random } from '../deps.ts'

/** Chooses one of `count` options. Shape: an index from 0; `count` is at least 1. */
export type Pick = (count: number) => number

/** A die in a text. Units: half-open UTF-16 positions of `{…}`. Shape: equal options make that one likelier. */
export type Die = { from: number; to: number; source: string; options: string[] }

/** A rolled die; `at` is where its value stands in the rolled text. */
export type Roll = { from: number; to: number; source: string; value: string; at: number }

export function pickWith(random: Random): Pick {
  return (count) => Math.min(count - 1, Math.floor(random.next() * count))
}

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

/** Rolls every die of a text. `held` may name the value of an earlier roll of the same source. */
export function rollDice(
  text: string,
  pick: Pick,
  held: (source: string) => string | undefined = () => undefined,
): { text: string; rolls: Roll[] } {
  const rolls: Roll[] = []
  let rolled = ''
  let from = 0
  for (const die of findDice(text)) {
    const kept = held(die.source)
    const value =
      kept !== undefined && die.options.includes(kept) ? kept : (die.options[pick(die.options.length)] ?? '')
    rolled += text.slice(from, die.from)
    rolls.push({ from: die.from, to: die.to, source: die.source, value, at: rolled.length })
    rolled += value
    from = die.to
  }
  return { text: rolled + text.slice(from), rolls }
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

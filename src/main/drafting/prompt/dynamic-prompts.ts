import { findDice } from '../../../shared/text/manuscript/dice.ts'
import type { Random } from '../../deps.ts'

/** Chooses one of `count` options. Shape: an index from 0; `count` is at least 1. */
export type Pick = (count: number) => number

/** A rolled die; `at` is where its value stands in the rolled text. */
export type Roll = { from: number; to: number; source: string; value: string; at: number }

export function pickWith(random: Random): Pick {
  return (count) => Math.min(count - 1, Math.floor(random.next() * count))
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

import { isBlank } from '../../shared/text/white-space.ts'

/** A take as it is inserted into the manuscript: `lead` goes before the remaining text. */
export type JoinedTake = { lead: string; text: string }

/**
 * Joins a take to the text before it.
 *
 * The answer to an empty suffix starts on a new line; the answer to a suffix goes on in its line. Line ends,
 * the indent and the space that the manuscript already has there are dropped from the take.
 * Source: `docs/decisions/drafting.md`, "Generating".
 */
export function joinTake(before: string, suffix: string, take: string): JoinedTake {
  const lineFrom = before.lastIndexOf('\n') + 1
  const line = before.slice(lineFrom)
  const isOnNewLine = isBlank(line)
  const lead = suffix === '' && before !== '' && !isOnNewLine ? '\n' : ''
  if (lead === '' && !isOnNewLine) {
    // The suffix was sent without its trailing spaces: a model begins with the one that is already there.
    return { lead, text: isIndent(line.at(-1)) ? take.replace(/^[ \t\u3000]+/, '') : take }
  }

  const hadLineEnds = lead === '' ? countLineEnds(before.slice(0, lineFrom)) : 1
  const indent = lead === '' ? line : ''
  let from = 0
  while (from < hadLineEnds && take[from] === '\n') from++
  for (let i = 0; i < indent.length && isIndent(take[from]); i++) from++
  return { lead, text: take.slice(from) }
}

function countLineEnds(text: string): number {
  let from = text.length
  while (from > 0 && text[from - 1] === '\n') from--
  return text.length - from
}

function isIndent(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '　'
}

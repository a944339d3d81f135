import { isWhiteSpace, trimWhere, trimWhiteSpace } from '../white-space.ts'

const QUOTE = 0x22

/**
 * Splits the text of the tag input into tags.
 *
 * A whole `{…}` or `"…"` is one tag (the quotes are removed), and so is a `"…"` after other tags; anything else
 * is split on white space.
 * Shape: the author's order, without tags that `existing` or the input itself already has.
 */
export function splitTagInput(input: string, existing: readonly string[] = []): string[] {
  const tags: string[] = []
  for (const tag of parts(trimWhiteSpace(input))) {
    if (tag !== '' && !existing.includes(tag) && !tags.includes(tag)) tags.push(tag)
  }
  return tags
}

function parts(input: string): string[] {
  if (input.length >= 2 && input.startsWith('{') && input.endsWith('}')) return [input]
  if (input.length >= 2 && input.startsWith('"') && input.endsWith('"')) {
    return [trimWhiteSpace(input.slice(1, -1))]
  }
  const words: string[] = []
  let from = 0
  for (let i = 0; i <= input.length; i++) {
    const end = i === from && i > 0 ? quotedEnd(input, i) : -1
    if (end > 0) {
      words.push(trimWhiteSpace(input.slice(i + 1, end - 1)))
      i = end
      from = end + 1
      continue
    }
    if (i < input.length && !isWhiteSpace(input.charCodeAt(i))) continue
    if (i > from) words.push(input.slice(from, i))
    from = i + 1
  }
  return words
}

/** Returns the end of a `"…"` that begins at `from`, if white space or nothing follows; -1 for anything else. */
function quotedEnd(input: string, from: number): number {
  if (input.charCodeAt(from) !== QUOTE) return -1
  const end = input.indexOf('"', from + 1) + 1
  return end > 0 && (end === input.length || isWhiteSpace(input.charCodeAt(end))) ? end : -1
}

/** Returns a tag as the prompt shows it: without outer white space and double quotes; may be empty. */
export function cleanTag(tag: string): string {
  return trimWhere(tag, (codeUnit) => codeUnit === QUOTE || isWhiteSpace(codeUnit))
}

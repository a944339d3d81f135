import { isWhiteSpace, trimWhere, trimWhiteSpace } from './white-space.ts'

const QUOTE = 0x22

/**
 * Splits what was typed into the tag input.
 *
 * A whole `{…}` or `"…"` is one tag (the quotes fall away), anything else is split on white space.
 * Shape: the author's order, without what `existing` or the input itself already has.
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
    if (i < input.length && !isWhiteSpace(input.charCodeAt(i))) continue
    if (i > from) words.push(input.slice(from, i))
    from = i + 1
  }
  return words
}

/** A tag as the prompt shows it: without outer white space and double quotes; may come out empty. */
export function cleanTag(tag: string): string {
  return trimWhere(tag, (codeUnit) => codeUnit === QUOTE || isWhiteSpace(codeUnit))
}

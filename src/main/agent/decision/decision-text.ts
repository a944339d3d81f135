import { isTooDeep, parseJson } from '../../../shared/text/json.ts'

/** How models mark their thinking: XML-like tags, Mistral's brackets, the channels of gpt-oss. */
const thinkingMarks = [
  { opening: /^\s*<(?:think|thinking|reasoning)>/i, closing: /<\/(?:think|thinking|reasoning)>/i },
  { opening: /^\s*\[THINK\]/, closing: /\[\/THINK\]/ },
  { opening: /^\s*<\|channel\|>(?:analysis|thought)/, closing: /<\|channel\|>final(?:<\|message\|>)?/ },
]

/**
 * Returns the answer that follows a model's thinking.
 *
 * Thinking that never ends leaves an empty text. A closing mark without an opening one (the template has opened it)
 * removes everything before it, unless the text starts with the object itself: then the mark is text.
 */
export function withoutThinking(text: string): string {
  for (const { opening, closing } of thinkingMarks) {
    const isOpened = opening.test(text)
    const end = isOpened || !text.trimStart().startsWith('{') ? closing.exec(text) : null
    if (end !== null) return withoutThinking(text.slice(end.index + end[0].length))
    if (isOpened) return ''
  }
  return text
}

/** Parses JSON without repair; undefined for a text that is none, or is nested too deep. */
export function parsedJson(text: string): unknown {
  return isTooDeep(text) ? undefined : parseJson(text)
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the first `{…}` of a text, braces inside of strings not counted; undefined where it never closes.
 *
 * Whatever stands around it (prose, code fences) is thereby left out.
 */
export function firstObject(text: string): string | undefined {
  const from = text.indexOf('{')
  if (from < 0) return undefined
  let depth = 0
  let isInString = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return text.slice(from, at + 1)
  }
  return undefined
}

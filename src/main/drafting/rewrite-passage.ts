import type { Rewrite } from '../../shared/domain/drafting/rewrite.ts'
import { AppError } from '../../shared/errors.ts'
import { readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'
import type { PassageToRewrite } from './prompt/build-prompt.ts'

/** How much text around a passage is sent where the prompt's body does not hold it. Units: UTF-16. */
const aroundLength = 400

const fenceLine = /^[ \t\u3000]*`{3,}[\w-]*[ \t\u3000]*$/m

/**
 * Reads a selection as a prompt quotes it: without comments, with whole lines around it.
 *
 * Errors: `file/changed` where another text stands at its place.
 */
export function passageOf(
  { from, original, instruction }: Rewrite,
  text: string,
  path: string,
): PassageToRewrite {
  if (!text.startsWith(original, from)) throw new AppError({ code: 'file/changed', path })
  const to = from + original.length
  const before = text.slice(Math.max(0, from - aroundLength), from)
  const after = text.slice(to, to + aroundLength)
  return {
    passage: (readManuscript(original).text || original).trim() || original,
    before: readManuscript(from > aroundLength ? before.slice(before.indexOf('\n') + 1) : before).text,
    after: readManuscript(
      text.length > to + aroundLength ? after.slice(0, after.lastIndexOf('\n') + 1) : after,
    ).text,
    instruction,
  }
}

/**
 * Returns the part of an answer that replaces the passage: without the fence that models repeat, with the passage's own
 * white space at both ends. `isWhole` is false while the answer is still being written.
 */
export function rewrittenText(answer: string, original: string, isWhole: boolean): string {
  let text = answer.replace(/^\s*\n/, '')
  const opening = fenceLine.exec(text)
  if (opening?.index === 0) text = text.slice(opening[0].length)
  const closing = fenceLine.exec(text)
  if (closing) text = text.slice(0, closing.index)
  text = text.trim()
  if (text === '') return ''
  const lead = /^\s*/.exec(original)?.[0] ?? ''
  const tail = isWhole ? original.slice(original.trimEnd().length) : ''
  return lead + text + tail
}

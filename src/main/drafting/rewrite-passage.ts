import type { Rewrite } from '../../shared/domain/drafting/rewrite.ts'
import { AppError } from '../../shared/errors.ts'
import { type ManuscriptMark, readManuscript } from '../../shared/text/manuscript/manuscript-marks.ts'

/** How much text around a passage is sent where the prompt's body does not hold it. Units: UTF-16. */
const aroundLength = 400

const fenceLine = /^[ \t\u3000]*`{3,}[\w-]*[ \t\u3000]*$/m

/**
 * Reads a selection as a prompt quotes it: without comments, with whole lines around it.
 *
 * Errors: `file/changed` where another text stands at its place.
 */
export function passageOf({ from, original, instruction }: Rewrite, text: string, path: string) {
  if (!text.startsWith(original, from)) throw new AppError({ code: 'file/changed', path })
  const to = from + original.length
  const first = Math.max(0, from - aroundLength)
  const last = Math.min(text.length, to + aroundLength)
  const beforeFrom = first === 0 ? 0 : first + text.slice(first, from).indexOf('\n') + 1
  const afterTo = last === text.length ? last : to + text.slice(to, last).lastIndexOf('\n') + 1
  // A mark may begin before the part of the text that is sent, so the whole text is read.
  const { marks } = readManuscript(text)
  const own = marks.filter(({ kind }) => kind !== 'outside')
  return {
    passage: withoutMarks(text, from, to, own).trim(),
    before: withoutMarks(text, beforeFrom, from, marks),
    after: withoutMarks(text, to, afterTo, marks),
    instruction,
  }
}

/** Returns a part of a text without its marks, which are in order. Units: UTF-16. */
function withoutMarks(text: string, from: number, to: number, marks: readonly ManuscriptMark[]): string {
  let read = ''
  let at = from
  for (const mark of marks) {
    if (mark.to <= at || mark.from >= to) continue
    read += text.slice(at, Math.max(at, mark.from))
    at = mark.to
  }
  return read + text.slice(Math.min(at, to), to)
}

/**
 * Returns the part of an answer that replaces the passage: without the fence that models repeat, with the passage's own
 * white space at both ends and its comments behind the text. `isWhole` is false while the answer is still being written.
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
  const tail = isWhole ? commentsOf(original) + original.slice(original.trimEnd().length) : ''
  return lead + text + tail
}

/** Returns a passage's comments, of which the model knows nothing. One that ends with its line keeps a line end. */
function commentsOf(original: string): string {
  const { length } = original.trimEnd()
  return readManuscript(original)
    .marks.filter(({ kind }) => kind === 'comment')
    .map(({ from, to }) => {
      // White space at the passage's end is kept as such.
      const comment = original.slice(from, Math.min(to, length))
      return comment.startsWith('@//') && to < length ? `${comment}\n` : comment
    })
    .join('')
}

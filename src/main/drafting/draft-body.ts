import { type ManuscriptMark, readManuscript } from '../../shared/text/manuscript-marks.ts'

/**
 * The body of a work as the model may read it, and where its continuation goes.
 *
 * Units: `position` is a UTF-16 position in the open file; the body has LF line ends.
 */
export type DraftBody = { text: string; position: number }

/**
 * Joins manuscripts in order by one blank line, ending with the open file.
 *
 * Every file's own comments and range count: a start command in one file shuts out the files before it.
 * `endAt` ends the body at the caret instead of at `@endpoint` or the file's end.
 * Source: `../shared/spec/1-drafting.md`, "A work".
 */
export function composeBody(earlier: readonly string[], open: string, endAt?: number): DraftBody {
  const source = endAt === undefined ? open : open.slice(0, endAt)
  const reading = readManuscript(source)
  const texts = [reading.text]
  let isStarted = reading.hasStart
  for (const text of earlier.toReversed()) {
    if (isStarted) break
    const before = readManuscript(text)
    isStarted = before.hasStart
    const trimmed = before.text.replace(/\n+$/, '')
    if (trimmed !== '') texts.unshift(trimmed)
  }
  return { text: texts.join('\n\n'), position: endpointOf(source, reading.marks) ?? source.length }
}

/** Where the range of this file ends, if a command ends it. */
function endpointOf(source: string, marks: readonly ManuscriptMark[]): number | undefined {
  const commands = marks.filter((mark) => mark.kind === 'command')
  const isEnd = (mark: ManuscriptMark) => source.slice(mark.from, mark.to) === '@endpoint'
  const lastStart = commands.findLastIndex((mark) => !isEnd(mark))
  return commands.slice(lastStart + 1).find(isEnd)?.from
}

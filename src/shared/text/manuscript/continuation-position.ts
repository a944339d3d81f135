import { type ManuscriptMark, readManuscript } from './manuscript-marks.ts'

/**
 * Returns where the continuation of an open file goes: before the `@endpoint` that ends its range, else at its end.
 *
 * Units: a UTF-16 position of `source`, which has LF line ends.
 * Source: `docs/decisions/drafting.md`, "A work".
 */
export function continuationPosition(source: string): number {
  const commands = readManuscript(source).marks.filter((mark) => mark.kind === 'command')
  const isEnd = (mark: ManuscriptMark) => source.slice(mark.from, mark.to) === '@endpoint'
  const lastStart = commands.findLastIndex((mark) => !isEnd(mark))
  return commands.slice(lastStart + 1).find(isEnd)?.from ?? source.length
}

/** A part of a manuscript that never reaches the model. Units: half-open UTF-16 positions. */
export type ManuscriptMark = {
  from: number
  to: number
  /** `command`: the `@break`, `@startpoint` or `@endpoint` itself; `outside`: text that such a command excludes. */
  kind: 'comment' | 'command' | 'outside'
}

export type Span = { from: number; to: number }

/** The part of one manuscript file that belongs to the body. */
type ManuscriptReading = {
  /** The text that the model may read: `kept` joined. */
  text: string
  /** The parts of the source that make up `text`, in order. */
  kept: Span[]
  /** Everything else, in order; for dimming. */
  marks: ManuscriptMark[]
  /** True when the body starts in this file: text before it in other files is excluded, too. */
  hasStart: boolean
}

const COMMAND = /@(?:break|startpoint|endpoint)/g

/**
 * Finds comments and range commands in one file.
 *
 * Comments first, read left to right, the first opener wins: `@//` to the line's end, `@/*` to `@*` + `/`
 * (unclosed: literal). Then the text after the last start command, up to the first `@endpoint` after it.
 * A command next to an ASCII letter or digit is text.
 * Source: `docs/decisions/drafting.md`, "Dynamic prompts, comments, range".
 */
export function readManuscript(source: string): ManuscriptReading {
  const comments = findComments(source)
  const uncommented = gapsBetween(comments, source.length)
  const text = textOf(source, uncommented)

  const commands = findCommands(text)
  const start = commands.findLast((command) => command.isStart)
  const end = commands.find((command) => !command.isStart && command.from >= (start?.to ?? 0))
  const inside = { from: start?.to ?? 0, to: end?.from ?? text.length }

  const toSource = (span: Span) => mapSpan(span, uncommented)
  const mark = (spans: Span[], kind: ManuscriptMark['kind']) => spans.map((span) => ({ ...span, kind }))
  const outside = gapsBetween([...commands, inside].sort(byPosition), text.length)
  const marks = [
    ...mark(comments, 'comment'),
    ...mark(commands.flatMap(toSource), 'command'),
    ...mark(outside.flatMap(toSource), 'outside'),
  ].sort(byPosition)

  const kept = toSource(inside)
  return { text: text.slice(inside.from, inside.to), kept, marks, hasStart: start !== undefined }
}

function findComments(source: string): Span[] {
  const comments: Span[] = []
  let at = source.indexOf('@/')
  while (at >= 0) {
    const to = commentEnd(source, at)
    if (to !== undefined) comments.push({ from: at, to })
    at = source.indexOf('@/', to ?? at + 1)
  }
  return comments
}

function commentEnd(source: string, from: number): number | undefined {
  const opener = source[from + 2]
  if (opener === '/') {
    const lineEnd = /[\n\r\u2028\u2029]/g
    lineEnd.lastIndex = from
    return lineEnd.exec(source)?.index ?? source.length
  }
  if (opener !== '*') return undefined
  const closer = source.indexOf('@*/', from + 3)
  return closer < 0 ? undefined : closer + 3
}

function findCommands(text: string): (Span & { isStart: boolean })[] {
  const isAlphanumeric = (character: string | undefined) =>
    character !== undefined && /[A-Za-z0-9]/.test(character)
  return [...text.matchAll(COMMAND)]
    .map((match) => ({
      from: match.index,
      to: match.index + match[0].length,
      isStart: match[0] !== '@endpoint',
    }))
    .filter(({ from, to }) => !isAlphanumeric(text[from - 1]) && !isAlphanumeric(text[to]))
}

function gapsBetween(spans: Span[], length: number): Span[] {
  const gaps: Span[] = []
  let from = 0
  for (const span of [...spans, { from: length, to: length }]) {
    if (span.from > from) gaps.push({ from, to: span.from })
    from = span.to
  }
  return gaps
}

function textOf(source: string, spans: Span[]): string {
  return spans.map((span) => source.slice(span.from, span.to)).join('')
}

/** Maps a span of the joined `segments` back to the source; the parts between segments are left out. */
function mapSpan(span: Span, segments: Span[]): Span[] {
  const mapped: Span[] = []
  let at = 0
  for (const segment of segments) {
    const from = Math.max(span.from, at)
    const to = Math.min(span.to, at + segment.to - segment.from)
    if (from < to) mapped.push({ from: segment.from + from - at, to: segment.from + to - at })
    at += segment.to - segment.from
  }
  return mapped
}

function byPosition(a: Span, b: Span): number {
  return a.from - b.from || a.to - b.to
}

/**
 * Returns a manuscript without comments and range commands, which are for the author alone. Text that such a command
 * excludes is still for readers. A line that held nothing else is removed.
 *
 * Shape: LF line ends.
 */
export function readerText(source: string): string {
  const hidden = readManuscript(source).marks.filter(({ kind }) => kind !== 'outside')
  if (hidden.length === 0) return source
  let text = ''
  let at = 0
  for (const { from, to } of hidden) {
    text += source.slice(at, from)
    const isLineStart = text === '' || text.endsWith('\n')
    at = isLineStart && source[to] === '\n' ? to + 1 : to
  }
  return text + source.slice(at)
}

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

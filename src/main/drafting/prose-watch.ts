import { isBlank } from '../../shared/text/white-space.ts'
import type { DraftWords } from './draft-words.ts'

/**
 * Why the program itself ends a draft: the prompt's own scaffolding came back, one line came again and again, or the
 * text that follows was met.
 */
export type ProseEnd = 'scaffolding' | 'repetition' | 'met'

/** A long line that stands so often in a row is a loop; short ones may be an effect, and need more. */
const longLineChars = 8
const longLineTimes = 4
const shortLineTimes = 8
const fence = /^[ \t\u3000]*`{3,}[\w-]*[ \t\u3000]*$/
const fenceBeginning = /^[ \t\u3000]*(`*|`{3,}[\w-]*[ \t\u3000]*)$/

/** A draft's text as it arrives, up to where it stops being prose. */
export type ProseWatch = {
  /** Returns the text that may be shown now: what could still become a heading or a fence waits. */
  push(piece: string): string
  /** Returns what waited, once no more will come. */
  flush(): string
  readonly end: ProseEnd | null
  /** The whole text that counts: without what a loop repeated. */
  readonly text: string
}

/**
 * Watches a draft for the prompt's own headings, for a lone fence and for one line that comes again and again.
 *
 * Shape: what the manuscript itself holds (`body`) is prose there; `startsLine` is false where the answer goes on
 * in a begun line.
 */
export function watchProse(words: DraftWords, body: string, startsLine: boolean): ProseWatch {
  const bodyLines = new Set(body.split('\n').map(normalised))
  const headings = headingsOf(words).filter((heading) => !bodyLines.has(heading))
  const hasFences = body.split('\n').some((line) => fence.test(line))
  let shown = ''
  /** Line ends and the begun line after them, not shown yet. */
  let waiting = ''
  let isAtLineStart = startsLine
  let end: ProseEnd | null = null
  const lines = { last: '', times: 0, from: 0 }

  const isHeading = (line: string): boolean => {
    const start = normalised(line)
    return headings.some((heading) => start.startsWith(heading)) || (!hasFences && fence.test(line))
  }
  const mayBecomeHeading = (line: string): boolean => {
    const start = normalised(line)
    return headings.some((heading) => heading.startsWith(start)) || (!hasFences && fenceBeginning.test(line))
  }

  /** A whole line has been shown. */
  function noteLine(line: string, from: number): void {
    if (isBlank(line)) return
    if (line !== lines.last) {
      lines.last = line
      lines.times = 1
      lines.from = from + line.length
      return
    }
    lines.times += 1
    const limit = line.trim().length >= longLineChars ? longLineTimes : shortLineTimes
    if (lines.times < limit) return
    end = 'repetition'
    shown = shown.slice(0, lines.from)
  }

  function show(text: string): void {
    const from = shown.length
    shown += text
    let lineFrom = from === 0 ? 0 : shown.lastIndexOf('\n', from - 1) + 1
    for (let at = shown.indexOf('\n', from); at >= 0 && end === null; at = shown.indexOf('\n', lineFrom)) {
      noteLine(shown.slice(lineFrom, at), lineFrom)
      lineFrom = at + 1
    }
  }

  /** Moves out of `waiting` what is certainly prose. */
  function settle(): void {
    while (end === null && waiting !== '') {
      const lineFrom = /^[\s]*\n/.exec(waiting)?.[0].length ?? 0
      if (lineFrom === 0 && !isAtLineStart) {
        const lineEnd = waiting.indexOf('\n')
        show(lineEnd < 0 ? waiting : waiting.slice(0, lineEnd))
        waiting = lineEnd < 0 ? '' : waiting.slice(lineEnd)
        if (lineEnd < 0) return
        continue
      }
      const lineEnd = waiting.indexOf('\n', lineFrom)
      const line = lineEnd < 0 ? waiting.slice(lineFrom) : waiting.slice(lineFrom, lineEnd)
      const isWhole = lineEnd >= 0
      if (isWhole || !fence.test(line) ? isHeading(line) : false) {
        end = 'scaffolding'
        return
      }
      if (!isWhole && mayBecomeHeading(line)) return
      show(waiting.slice(0, lineFrom + line.length))
      waiting = waiting.slice(lineFrom + line.length)
      isAtLineStart = false
    }
  }

  return {
    push(piece) {
      if (end !== null) return ''
      const before = shown.length
      waiting += piece
      settle()
      return shown.slice(before)
    },
    flush() {
      if (end !== null) return ''
      const before = shown.length
      const lineFrom = waiting.lastIndexOf('\n') + 1
      const isAlone = lineFrom > 0 || isAtLineStart
      if (isAlone && waiting.slice(lineFrom) !== '' && isHeading(waiting.slice(lineFrom))) end = 'scaffolding'
      else show(waiting)
      waiting = ''
      return shown.slice(before)
    },
    get end() {
      return end
    },
    get text() {
      return shown
    },
  }
}

/** As a model may write them again: `#タイトル：` for `# タイトル:`. */
function headingsOf({ blocks, fields }: DraftWords): string[] {
  const titles = Object.values(fields).map((name) => `# ${name}:`)
  return [...Object.values(blocks), ...titles].map(normalised)
}

function normalised(line: string): string {
  return line.replaceAll('：', ':').replace(/[ \t\u3000]/g, '')
}

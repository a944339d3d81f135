import { isBlank } from '../../shared/text/white-space.ts'
import type { DraftWords } from './draft-words.ts'

/**
 * Why the program itself ends a draft: the answer repeats headings of the prompt, one line repeats again and again, or
 * the answer has reached the following text.
 */
export type ProseEnd = 'scaffolding' | 'repetition' | 'met'

/** Identical lines in a row that count as a loop: fewer for long lines; short ones may be a stylistic effect. */
const longLineChars = 8
const longLineTimes = 4
const shortLineTimes = 8
const fence = /^[ \t\u3000]*`{3,}[\w-]*[ \t\u3000]*$/
const fenceBeginning = /^[ \t\u3000]*(`*|`{3,}[\w-]*[ \t\u3000]*)$/

/** A draft's text as it arrives, up to where it stops being prose. */
export type ProseWatch = {
  /** Returns the text that may be shown now. Text that could still become a heading or a fence is held back. */
  push(piece: string): string
  /** Returns the text that was held back, once no more will come. */
  flush(): string
  readonly end: ProseEnd | null
  /** The whole text without the repetitions of a loop. */
  readonly text: string
}

/**
 * Watches a draft for the prompt's own headings, for a lone fence and for one line that repeats again and again. A fence
 * before the first prose is left out: a chat model may put its whole answer between fences, as the prompt does.
 *
 * Shape: headings and fences that the manuscript itself has (`body`) count as prose; `startsLine` is false where the
 * answer continues a begun line.
 */
export function watchProse(words: DraftWords, body: string, startsLine: boolean): ProseWatch {
  const bodyLines = new Set(body.split('\n').map(normalised))
  const headings = headingsOf(words).filter((heading) => !bodyLines.has(heading))
  const hasFences = body.split('\n').some((line) => fence.test(line))
  let shown = ''
  /** Line ends and the begun line after them, not shown yet. */
  let waiting = ''
  let isAtLineStart = startsLine
  /** True while a fence would open the answer: nothing was shown, and no fence was left out. */
  let mayOpen = !hasFences
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

  /** Counts a whole line that has been shown. */
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

  /** Shows the part of `waiting` that is certainly prose. */
  function settle(): void {
    while (end === null && waiting !== '') {
      const lineFrom = /^[\s]*\n/.exec(waiting)?.[0].length ?? 0
      const lineEnd = waiting.indexOf('\n', lineFrom)
      const isWhole = lineEnd >= 0
      const line = isWhole ? waiting.slice(lineFrom, lineEnd) : waiting.slice(lineFrom)
      if (mayOpen && isWhole && fence.test(line)) {
        mayOpen = false
        isAtLineStart = true
        waiting = waiting.slice(lineEnd + 1)
        continue
      }
      if (mayOpen && !isWhole && fenceBeginning.test(line)) return
      if (lineFrom > 0 || isAtLineStart) {
        if (isWhole || !fence.test(line) ? isHeading(line) : false) {
          end = 'scaffolding'
          return
        }
        if (!isWhole && mayBecomeHeading(line)) return
      }
      show(waiting.slice(0, lineFrom + line.length))
      waiting = waiting.slice(lineFrom + line.length)
      isAtLineStart = false
      mayOpen = false
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
      const isAlone = lineFrom > 0 || isAtLineStart || (mayOpen && fence.test(waiting))
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

/** Returns the prompt's headings in the form for comparison: a model may write `#タイトル：` for `# タイトル:`. */
function headingsOf({ blocks, fields, story }: DraftWords): string[] {
  const titles = [...Object.values(fields), story].map((name) => `# ${name}:`)
  return [...Object.values(blocks), ...titles].map(normalised)
}

function normalised(line: string): string {
  return line.replaceAll('：', ':').replace(/[ \t\u3000]/g, '')
}

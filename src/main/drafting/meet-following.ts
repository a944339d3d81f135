import { foldText } from '../../shared/text/places/find-literal.ts'
import { isWhiteSpace } from '../../shared/text/white-space.ts'
import { withoutEnd } from '../../shared/text/without-end.ts'
import type { ProseWatch } from './prose-watch.ts'

/**
 * How much of the following text an answer must repeat to have reached it: of its beginning, or of a later part, which
 * is more often repeated by chance. Units: weight; an ASCII character weighs 1, any other 2.
 */
const startWeight = 20
const insideWeight = 32
/** Weight of an answer's last words with which the following text begins; a closing mark needs none. */
const endWeight = 6
/** Farthest place in the following text at which an answer may reach it. Units: folded characters. */
const reachChars = 200
/** Most of the following text that is compared, however long the work is. Units: UTF-16. */
const limitCompared = 2_000

const closing = /^[、。，．,.!！?？」』）)"”’…―—]+$/
const sentenceEnd = /[。！？!?.][」』）)"”]*|[」』]|\n/g

/** A text without white space, case and width. `at`: where each of its units stands in the text. */
type Folded = { text: string; at: number[] }

/**
 * Watches a draft that stands before other text, and ends it where it reaches that text.
 *
 * The draft ends before the first words of the following text, before the sentence that repeats a later part of it, or,
 * at its own end, before words with which the following text begins. White space, width and case do not count.
 */
export function watchMeeting(prose: ProseWatch, following: string): ProseWatch {
  const next = folded(following.slice(0, limitCompared))
  const startLength = lengthOf(next.text, startWeight)
  let shown = ''
  let isMet = false
  /** Number of folded characters at which no repetition can begin any more. */
  let checked = 0

  /** Returns where the draft has reached the following text; undefined while it has not. Units: UTF-16 of `text`. */
  function meetingIn({ text: whole, at }: Folded, text: string): number | undefined {
    const from = checked
    for (let i = from; i < whole.length; i++) {
      if (startLength > 0 && whole.startsWith(next.text.slice(0, startLength), i)) return at[i]
      const length = lengthOf(whole.slice(i, i + insideWeight), insideWeight)
      if (length === 0) continue
      const inside = next.text.indexOf(whole.slice(i, i + length))
      if (inside > 0 && inside <= reachChars) return sentenceFrom(text, at[i] ?? 0)
      checked = i + 1
    }
    return undefined
  }

  /** Returns from where the draft's end may be the beginning of the following text. Units: folded characters. */
  function begunAt(whole: string): number {
    const longest = startLength > 0 ? startLength : next.text.length
    for (let i = Math.max(0, whole.length - longest); i < whole.length; i++)
      if (next.text.startsWith(whole.slice(i))) return i
    return whole.length
  }

  function upTo(text: string): string {
    const before = shown
    shown = text
    return text.startsWith(before) ? text.slice(before.length) : ''
  }

  function meet(text: string, end: number): string {
    isMet = true
    return upTo(beforeFollowing(text.slice(0, end), following))
  }

  return {
    push(piece) {
      if (isMet) return ''
      prose.push(piece)
      const { text } = prose
      if (next.text === '') return upTo(text)
      const whole = folded(text)
      checked = Math.min(checked, whole.text.length)
      const end = meetingIn(whole, text)
      if (end !== undefined) return meet(text, end)
      const begun = begunAt(whole.text)
      return upTo(begun === whole.text.length ? text : text.slice(0, whole.at[begun]))
    },
    flush() {
      if (isMet) return ''
      prose.flush()
      const { text } = prose
      const whole = folded(text)
      const end = next.text === '' ? undefined : meetingIn(whole, text)
      if (end !== undefined) return meet(text, end)
      const begun = begunAt(whole.text)
      const tail = whole.text.slice(begun)
      const isMeeting = tail !== '' && (closing.test(tail) || lengthOf(tail, endWeight) > 0)
      return isMeeting ? meet(text, whole.at[begun] ?? text.length) : upTo(text)
    },
    get end() {
      return isMet ? 'met' : prose.end
    },
    get text() {
      return shown
    },
  }
}

/** Returns the length of the shortest beginning of a text with this weight; 0 where the whole text weighs less. */
function lengthOf(text: string, weight: number): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    sum += text.charCodeAt(i) < 0x80 ? 1 : 2
    if (sum >= weight) return i + 1
  }
  return 0
}

function folded(source: string): Folded {
  const { text, starts } = foldText(source, { isCaseSensitive: false, foldsWidth: true, foldsKana: false })
  const at: number[] = []
  let kept = ''
  let start = 0
  for (let i = 0; i < text.length; i++) {
    start = starts === null ? i : Math.max(start, starts[i] ?? 0)
    if (isWhiteSpace(text.charCodeAt(i))) continue
    kept += text[i] ?? ''
    at.push(start)
  }
  return { text: kept, at }
}

/** Returns where the sentence around a place begins; the place itself where no sentence has ended before. */
function sentenceFrom(text: string, place: number): number {
  const end = [...text.slice(0, place).matchAll(sentenceEnd)].at(-1)
  return end === undefined ? place : end.index + end[0].length
}

/** Removes white space at the end with which the following text begins. */
function beforeFollowing(text: string, following: string): string {
  const lead = /^\s*/.exec(following)?.[0] ?? ''
  if (lead.includes('\n')) return text.trimEnd()
  const plain = withoutEnd(text, ' \t\u3000')
  return lead === '' && !plain.endsWith('\n') ? text : plain
}

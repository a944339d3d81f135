import type { InputAids } from '../../domain/app/editor-settings.ts'

/** A line in which something was just typed. Units: UTF-16; `after` is the text after the typed text. */
export type TypedLine = {
  before: string
  typed: string
  after: string
  /** The language of the text around it; null where that cannot be told. */
  language: 'ja' | 'en' | null
  /** `after` begins with a closing bracket that an aid inserted. */
  isClosed: boolean
  /** The sign that an aid has just doubled, right before the typed text. */
  paired: string | null
  /** No text may be inserted after the caret: a continuation is offered there. */
  isOffered: boolean
}

/** Shape: `changes` count from the line's start in the text as typed; `caret` counts in the text as changed. */
export type AidEdit = {
  changes: { from: number; to: number; insert: string }[]
  caret: number
  /** A closing bracket was inserted right after the caret. */
  hasClosed: boolean
  /** The sign that was doubled right before the caret. */
  paired: string | null
}

const closers: Record<string, string> = { '「': '」', '『': '』', '（': '）' }
const pairedRun = /…+|―+|—+/g
const indent = '　'

/** The characters that the aids react to. */
const triggers = /[「『（」』）…―—0-9０-９"'.-]/

/** Returns the edit that the aids make for a typed text; null for none. */
export function aidFor(line: TypedLine, aids: InputAids): AidEdit | null {
  if (!triggers.test(line.typed) || line.typed.includes('\n')) return null
  const language = aids.language === 'text' ? line.language : aids.language
  const japanese = language === 'en' ? null : aidInJapanese(line, aids, language === 'ja')
  return japanese ?? (language === 'ja' ? null : aidInEnglish(line, aids))
}

function aidInJapanese(line: TypedLine, aids: InputAids, isCertain: boolean): AidEdit | null {
  const { before, typed, after } = line
  const end = before.length + typed.length
  const last = typed.slice(-1)
  if (aids.closesBrackets && line.isClosed && after.startsWith(last) && Object.values(closers).includes(last))
    return edit([{ from: end - 1, to: end, insert: '' }], end)
  if (aids.pairsDashes && line.paired === typed)
    return edit([{ from: before.length, to: end, insert: '' }], before.length)
  const changes: AidEdit['changes'] = []
  let closing = ''
  if (aids.closesBrackets && /^\s*$/.test(before)) {
    const opener = typed.charAt(0)
    const closer = closers[opener]
    if (closer !== undefined) {
      if (before === indent) changes.push({ from: 0, to: before.length, insert: '' })
      if (!line.isOffered && after.trim() === '' && !typed.includes(closer)) closing = closer
    }
  }
  let paired: string | null = null
  if (aids.pairsDashes) {
    const whole = before + typed + after
    for (const { index, 0: run } of whole.matchAll(pairedRun)) {
      const to = index + run.length
      if (run.length % 2 === 0 || to <= before.length || index >= end) continue
      changes.push({ from: to, to, insert: run.charAt(0) })
      if (to === end) paired = run.charAt(0)
    }
  }
  if (isCertain) changes.push(...digitChanges(line, aids.digits))
  changes.sort((a, b) => a.from - b.from)
  const caret = caretAfter(changes, end)
  if (closing !== '') changes.push({ from: end, to: end, insert: closing })
  return changes.length === 0 ? null : { changes, caret, hasClosed: closing !== '', paired }
}

function aidInEnglish(line: TypedLine, aids: InputAids): AidEdit | null {
  const { before, typed } = line
  if (typed.length !== 1 || isVerbatim(before)) return null
  const replaced = (count: number, insert: string) => {
    const from = before.length - count
    return edit([{ from, to: before.length + 1, insert }], from + insert.length)
  }
  if (aids.smartQuotes && (typed === '"' || typed === "'")) {
    const opens = /(?:^|[\s([{“‘—–])$/.test(before)
    return replaced(0, typed === '"' ? (opens ? '“' : '”') : opens ? '‘' : '’')
  }
  if (aids.smartDashes && typed === '-' && /[^\s-]\s?-$/.test(before)) return replaced(1, '—')
  if (aids.smartDashes && typed === '.' && /[^.…]\.\.$/.test(before)) return replaced(2, '…')
  return null
}

function digitChanges({ before, typed, after }: TypedLine, digits: InputAids['digits']): AidEdit['changes'] {
  if (digits === 'typed' || isVerbatim(before)) return []
  const [wanted, shift] = digits === 'full' ? [/[0-9]+/g, 0xfee0] : [/[０-９]+/g, -0xfee0]
  const whole = before + typed + after
  const changes: AidEdit['changes'] = []
  for (const { index, 0: run } of typed.matchAll(wanted)) {
    const from = before.length + index
    const to = from + run.length
    // Names such as GPT4 and versions such as v1.2 are one word in half width.
    if (/[A-Za-z0-9@#_./:-]$/.test(whole.slice(0, from)) || /^[A-Za-z]/.test(whole.slice(to))) continue
    const insert = [...run].map((digit) => String.fromCharCode(digit.charCodeAt(0) + shift)).join('')
    changes.push({ from, to, insert })
  }
  return changes
}

/** Returns true inside dice, comments and commands, where every sign is literal. */
function isVerbatim(before: string): boolean {
  return before.lastIndexOf('{') > before.lastIndexOf('}') || before.includes('@/')
}

function edit(changes: AidEdit['changes'], caret: number): AidEdit {
  return { changes, caret, hasClosed: false, paired: null }
}

function caretAfter(changes: AidEdit['changes'], end: number): number {
  return changes.reduce(
    (at, { from, to, insert }) => (to <= end ? at + insert.length - (to - from) : at),
    end,
  )
}

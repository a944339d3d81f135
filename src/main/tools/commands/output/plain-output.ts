// Node's own stripVTControlCharacters leaves device strings (ESC P), private modes (ESC [ >) and cursor styles.
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for
/** Sequences that move to the first column, as `\r` does. */
const toLineStart = /\u001b\[[01]?G/g
/** Source: ECMA-48, 5.4 (CSI), 5.6 (control strings), 5.5 (two-character sequences). */
const sequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g
const unfinished = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$/
const special = /[^\n\t\u0020-\u007e\u00a0-\u{10ffff}]/u
/** Bell, backspace, shift in and out, an escape that begins nothing, delete. */
const terminalOnly = /[\u0007\u0008\u000e\u000f\u001b\u007f]/g
const lineFeeds = /[\u000b\u000c]/g
const otherControl = /[\u0000-\u0006\u0010-\u001a\u001c-\u001f\u0080-\u009f]/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: they are what is looked for

/** Maximum length of a control string: a longer one that is still open is read as text. Units: UTF-16 code units. */
const limitSequence = 4096
const limitHeldLine = 65_536

/**
 * Converts a program's terminal output to plain lines, piece by piece.
 *
 * Shape: escape sequences and characters that only affect a terminal are removed, NUL and the other control
 * characters become U+FFFD. Of a line that is written over (`\r`) the first and the last state are kept, each as a
 * separate line. The result does not depend on where the pieces were cut, apart from `settle`.
 */
export function createPlainOutput() {
  let carried = ''
  /** True where a part of the current line has been returned. */
  let isShown = false
  /** The text that replaces the current line after a carriage return; null before the first one. */
  let held: string | null = null
  /** The state before it, for `\r` before a line end. */
  let before = ''

  const takeHeld = (): string => {
    const state = held === null || held === '' ? before : held
    const out = state === '' ? '' : `${isShown ? '\n' : ''}${state}`
    isShown ||= state !== ''
    held = null
    before = ''
    return out
  }

  const takeText = (text: string): string => {
    if (text === '') return ''
    if (held === null) {
      isShown = true
      return text
    }
    held += text
    return held.length > limitHeldLine ? takeHeld() : ''
  }

  /** Takes a line: where it is written over only the last state counts, or the one before where the last is empty. */
  const takeLine = (line: string): string => {
    const first = line.indexOf('\r')
    if (first < 0) return takeText(line)
    const shown = takeText(line.slice(0, first))
    if (held !== null && held !== '') before = held
    held = ''
    let end = line.length
    while (line[end - 1] === '\r') end--
    const last = line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
    if (end === line.length) return shown + takeText(last)
    if (last !== '' && end > first) before = last
    return shown
  }

  const lines = (text: string): string => {
    if (held === null && !text.includes('\r')) {
      if (text !== '') isShown = !text.endsWith('\n')
      return text
    }
    let out = ''
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) {
        out += `${takeHeld()}\n`
        isShown = false
      }
      out += takeLine(line)
    }
    return out
  }

  return {
    push(text: string): string {
      const all = carried + text
      carried = ''
      if (!special.test(all)) return lines(all)
      const open = unfinished.exec(all)
      const isCarried = open !== null && all.length - open.index <= limitSequence
      if (isCarried) carried = all.slice(open.index)
      return lines(withoutControl(isCarried ? all.slice(0, open.index) : all))
    },
    /** Returns the state of a line that may still be written over: for a program that pauses in the middle of one. */
    settle: takeHeld,
    /** Returns the rest when the output has ended. */
    end(): string {
      const rest = withoutControl(carried)
      carried = ''
      return lines(rest) + takeHeld()
    },
  }
}

function withoutControl(text: string): string {
  return text
    .replace(toLineStart, '\r')
    .replace(sequence, '')
    .replace(terminalOnly, '')
    .replace(lineFeeds, '\n')
    .replace(otherControl, '\ufffd')
}

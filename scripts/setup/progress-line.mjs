/**
 * Shows progress in one line: rewritten in place on a terminal, else a new line every ten seconds.
 *
 * @param {NodeJS.WriteStream} out
 */
export function createProgressLine(out = process.stderr) {
  const quietMs = 10_000
  let lastShownAt = 0
  let lastText = ''
  return {
    /** @param {string} text */
    show(text) {
      if (text === lastText) return
      if (!out.isTTY && Date.now() - lastShownAt < quietMs) return
      lastText = text
      lastShownAt = Date.now()
      out.write(out.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
    },
    /** Leaves the line as it stands, or removes it. */
    end({ isKept = true } = {}) {
      if (out.isTTY && lastText !== '') out.write(isKept ? '\n' : '\r\u001b[K')
      lastText = ''
    },
  }
}

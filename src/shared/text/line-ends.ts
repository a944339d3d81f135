/** Returns the text with LF line ends only: CRLF, CR, U+2028 and U+2029 become LF. */
export function normaliseLineEnds(text: string): string {
  return /[\r\u2028\u2029]/.test(text) ? text.replace(/\r\n?|[\u2028\u2029]/g, '\n') : text
}

const limitWords = 1000
const list = /^[^{}\s'"\\$`!]*$/
const range = /^(-?\d{1,6})\.\.(-?\d{1,6})$/
const letters = /^([a-z])\.\.([a-z])$|^([A-Z])\.\.([A-Z])$/
const group = /\{([^{}]*)\}/

/**
 * Returns the words that a text with braces expands to: lists and ranges that are not nested.
 *
 * Shape: null for any other form, and for more than a thousand words.
 */
export function braceWords(raw: string): string[] | null {
  let found = ['']
  let rest = raw
  for (let match = group.exec(rest); match !== null; match = group.exec(rest)) {
    const [whole, inside = ''] = match
    const choices = choicesOf(inside)
    const before = rest.slice(0, match.index)
    if (choices === null || !list.test(before) || found.length * choices.length > limitWords) return null
    found = found.flatMap((text) => choices.map((choice) => text + before + choice))
    rest = rest.slice(match.index + whole.length)
  }
  return list.test(rest) ? found.map((text) => text + rest) : null
}

/** True where the shell expands a text to few words: one list without a range, or a form that `braceWords` knows. */
export function isSmallBrace(raw: string): boolean {
  const isOneList = raw.indexOf('{') === raw.lastIndexOf('{') && !raw.includes('..')
  return isOneList || braceWords(raw) !== null
}

function choicesOf(inside: string): string[] | null {
  const numbers = range.exec(inside)
  if (numbers !== null) return steps(Number(numbers[1]), Number(numbers[2]), String, inside)
  const named = letters.exec(inside)
  if (named !== null) {
    const [from = '', to = ''] = named.slice(1).filter((letter) => letter !== undefined)
    return steps(from.charCodeAt(0), to.charCodeAt(0), (code) => String.fromCharCode(code), '')
  }
  const choices = inside.split(',')
  return choices.length > 1 && choices.every((choice) => choice !== '' && !choice.includes('..'))
    ? choices
    : null
}

function steps(from: number, to: number, textOf: (at: number) => string, written: string): string[] | null {
  // Ranges of numbers that begin with 0 are refused: the shell would pad them with zeros.
  if (/(?:^|\D)0\d/.test(written) || Math.abs(to - from) >= limitWords) return null
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => textOf(from + index * step))
}

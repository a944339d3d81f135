import type { Word } from '../parsing/shell-word.ts'
import type { Refusal } from './read-options.ts'

/** Not `-v` and `-R`: they evaluate a subscript, and a subscript can run a command. */
const fileTests = new Set('-b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x'.split(' '))
const textTests = new Set('-n -z'.split(' '))
const comparisons = new Set('= == !='.split(' '))
const fileComparisons = new Set('-nt -ot -ef'.split(' '))
const numeric = new Set('-eq -ne -lt -le -gt -ge'.split(' '))
const wholeNumber = /^[+-]?\d+$/

/** A variable in quotes is one word, whatever it holds. */
const quotedVariable = /^"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})"$/

/** Reads the words between `[` and `]`; returns the files that are looked at. */
export function testWords(words: readonly Word[]): Word[] | Refusal {
  if (isTextTest(words[0]?.value === '!' ? words.slice(1) : words)) return []
  const files: Word[] = []
  let index = 0
  const value = (offset = 0): string | undefined => words[index + offset]?.value ?? undefined
  const unknown = words.find((word) => word.value === null)
  if (unknown !== undefined) return { reason: 'expansion', about: unknown.raw }
  while (index < words.length) {
    while (value() === '!') index += 1
    const size = term(value(), value(1), value(2))
    if (size === 0) return { reason: 'operand', about: words[index]?.raw ?? '' }
    const isFiles = size === 3 ? fileComparisons.has(value(1) ?? '') : fileTests.has(value() ?? '')
    for (const at of size === 3 ? [0, 2] : [1]) {
      const word = words[index + at]
      if (size > 1 && isFiles && word !== undefined) files.push(word)
    }
    index += size
    const joint = value()
    if (joint !== undefined) {
      if (joint !== '-a' && joint !== '-o') return { reason: 'operand', about: joint }
      index += 1
      if (index === words.length) return { reason: 'operand', about: joint }
    }
  }
  return files
}

/** One question about texts, of which any may be a quoted variable: so few words leave no other reading. */
function isTextTest(words: readonly Word[]): boolean {
  const [first, second, third] = words
  const isText = (word?: Word): boolean =>
    word !== undefined && (quotedVariable.test(word.raw) || (word.value !== null && !isOption(word.value)))
  if (words.length === 2) return textTests.has(first?.value ?? '') && isText(second)
  return words.length === 3 && isText(first) && comparisons.has(second?.value ?? '') && isText(third)
}

/** How many words make the next term, 0 where none is known. */
function term(first: string | undefined, second: string | undefined, third: string | undefined): number {
  if (first === undefined) return 0
  if (second !== undefined && third !== undefined && !isOption(first) && !isOption(third)) {
    if (comparisons.has(second) || fileComparisons.has(second)) return 3
    if (numeric.has(second)) return wholeNumber.test(first) && wholeNumber.test(third) ? 3 : 0
  }
  if (second !== undefined && (fileTests.has(first) || textTests.has(first)) && !isOption(second)) return 2
  return isOption(first) ? 0 : 1
}

function isOption(text: string): boolean {
  return /^-[A-Za-z]/.test(text)
}

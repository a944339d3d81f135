import { onFirstUse } from '../../../shared/first-use.ts'

/**
 * The order of names as people count: 2 before 10, 第二章 before 第十章, full-width digits as digits.
 *
 * A total order: names that count the same fall back to their code units.
 */
export function compareNatural(a: string, b: string): number {
  if (a === b) return 0
  const left = tokensOf(a)
  const right = tokensOf(b)
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareTokens(left[i] ?? '', right[i] ?? '')
    if (order !== 0) return order
  }
  return left.length - right.length || (a < b ? -1 : 1)
}

/** Compares folder by folder, so that everything in a folder stays together. */
export function comparePaths(a: string, b: string): number {
  const left = a.split('/')
  const right = b.split('/')
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareNatural(left[i] ?? '', right[i] ?? '')
    if (order !== 0) return order
  }
  return left.length - right.length
}

type Token = string | number
const collator = onFirstUse(() => new Intl.Collator('ja', { sensitivity: 'base' }))
const numbers = /(\d+|[〇一二三四五六七八九十百千]+)/
const kanjiDigits = '〇一二三四五六七八九'
const kanjiUnits: Record<string, number> = { 十: 10, 百: 100, 千: 1000 }

function tokensOf(name: string): Token[] {
  return name
    .normalize('NFKC')
    .split(numbers)
    .filter((part) => part !== '')
    .map((part) => (numbers.test(part) ? numberOf(part) : part))
}

function compareTokens(a: Token, b: Token): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return collator().compare(a, b)
}

function numberOf(part: string): number {
  if (/^\d/.test(part)) return Number(part)
  if (!/[十百千]/.test(part)) {
    return Number([...part].map((character) => kanjiDigits.indexOf(character)).join(''))
  }
  let total = 0
  let digit = 0
  for (const character of part) {
    const unit = kanjiUnits[character]
    if (unit === undefined) {
      digit = kanjiDigits.indexOf(character)
    } else {
      total += (digit === 0 ? 1 : digit) * unit
      digit = 0
    }
  }
  return total + digit
}

import { onFirstUse } from '../../../shared/first-use.ts'

/**
 * Compares paths in natural order: 2 before 10, 第二章 before 第十章, full-width digits as digits. Compares folder by
 * folder, so that everything in a folder stays together.
 *
 * This is a total order: names with equal numbers are compared by their code units.
 */
export function comparePaths(a: string, b: string): number {
  return compareKeys(pathKey(a), pathKey(b))
}

/** Sorts by paths as `comparePaths` does, reading each path once. */
export function sortedByPath<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: pathKey(pathOf(item)) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ item }) => item)
}

/** Returns the entries of a folder as they are listed: folders first, each kind in natural order. */
export function foldersFirst<T extends { name: string; kind: string }>(entries: readonly T[]): T[] {
  const sorted = sortedByPath(entries, ({ name }) => name)
  return sorted.sort((a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder'))
}

type NameKey = { name: string; tokens: Token[] }

function pathKey(path: string): NameKey[] {
  return path.split('/').map((name) => {
    const parts = name
      .normalize('NFKC')
      .split(numbers)
      .filter((part) => part !== '')
    return { name, tokens: parts.map((part) => (numbers.test(part) ? numberOf(part) : part)) }
  })
}

function compareKeys(left: readonly NameKey[], right: readonly NameKey[]): number {
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [a, b] = [left[i], right[i]]
    const order = a === undefined || b === undefined ? 0 : compareNames(a, b)
    if (order !== 0) return order
  }
  return left.length - right.length
}

function compareNames(a: NameKey, b: NameKey): number {
  if (a.name === b.name) return 0
  const [left, right] = [a.tokens, b.tokens]
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareTokens(left[i] ?? '', right[i] ?? '')
    if (order !== 0) return order
  }
  return left.length - right.length || (a.name < b.name ? -1 : 1)
}

type Token = string | number
const collator = onFirstUse(() => new Intl.Collator('ja', { sensitivity: 'base' }))
const numbers = /(\d+|[〇一二三四五六七八九十百千]+)/
const kanjiDigits = '〇一二三四五六七八九'
const kanjiUnits: Record<string, number> = { 十: 10, 百: 100, 千: 1000 }

function compareTokens(a: Token, b: Token): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return collator().compare(a, b)
}

function numberOf(part: string): number {
  if (/^\d/.test(part)) return Number(part)
  if (!/[十百千]/.test(part))
    return Number([...part].map((character) => kanjiDigits.indexOf(character)).join(''))
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

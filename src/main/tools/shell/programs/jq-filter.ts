import { TextScan, wordSet } from '../parsing/text-scan.ts'

const names = wordSet(
  'add all and any arrays as ascii_downcase ascii_upcase booleans capture ceil contains del elif else empty end endswith',
  'explode false first flatten floor foreach from_entries fromjson gsub group_by has if implode in index indices',
  'inside iterables join keys keys_unsorted last leaf_paths length ltrimstr map map_values match max max_by min',
  'min_by not nth null nulls numbers objects or path paths reduce reverse rindex round rtrimstr scalars scan select',
  'sort sort_by split splits startswith strings sub test then to_entries tojson tonumber tostring transpose',
  'true type unique unique_by utf8bytelength values with_entries',
)
const blank = /[ \t\n]+/y
/** A string without `\(`, whose content would be a filter. */
const text = /"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y
/** Numbers are short, since a text could be repeated as often as a long one says. */
const number = /\d{1,5}(?:\.\d{1,5})?(?![\w.])/y
/** A variable of the filter. Those that jq provides, the environment among them, begin with another character. */
const variable = /\$[a-z][A-Za-z0-9_]*/y
const field = /\.[A-Za-z_][A-Za-z0-9_]*/y
const format = /@(?:json|text|csv|tsv|html|uri|sh|base64|base64d)(?!\w)/y
const name = /[A-Za-z_][A-Za-z0-9_]*/y
const operator = /\.\.|[|=!<>+*/%-]?=|\/\/|[.,:;?|<>+*/%-]/y
const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const limitDepth = 50

/**
 * True for a jq filter that only reads its input: fields, known functions and operators.
 *
 * Everything else is refused, such as modules, the environment, other inputs and functions that the filter defines.
 */
export function isReadOnlyJq(filter: string): boolean {
  return filter.trim() !== '' && new JqScan(filter).run()
}

class JqScan extends TextScan {
  private readonly open: string[] = []
  /** True where a key of an object may stand, which is not the name of a function. */
  private isKeyPlace = false

  run(): boolean {
    while (this.at < this.text.length) if (!this.step()) return false
    return this.open.length === 0
  }

  private step(): boolean {
    if (this.match(blank) !== null) return true
    const char = this.text.charAt(this.at)
    if (char in closers) return this.enter(char)
    if (this.open.length > 0 && char === closers[this.open.at(-1) ?? '']) return this.leave()
    const isKeyPlace = this.isKeyPlace
    this.isKeyPlace = false
    for (const form of [text, number, variable, field, format]) if (this.match(form) !== null) return true
    const word = this.match(name)
    if (word !== null) return isKeyPlace || this.word(word)
    const sign = this.match(operator)
    this.isKeyPlace = sign === ',' && this.open.at(-1) === '{'
    return sign !== null
  }

  /** Accepts known names. `if` opens a bracket that `end` closes, since a comma between them separates no keys. */
  private word(word: string): boolean {
    if (word === 'if') this.open.push(word)
    if (word === 'end' && this.open.pop() !== 'if') return false
    return names.has(word)
  }

  private enter(char: string): boolean {
    this.open.push(char)
    this.isKeyPlace = char === '{'
    this.at += 1
    return this.open.length <= limitDepth
  }

  private leave(): true {
    this.open.pop()
    this.isKeyPlace = false
    this.at += 1
    return true
  }
}

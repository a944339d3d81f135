import { TextScan } from './text-scan.ts'

/**
 * Why a word's value is not known before the shell expands it.
 *
 * `indirect` is `${!NAME}`, `assigns` is `${NAME:=value}`; `unreadable` is anything that this reader
 * does not know, command substitution among it.
 */
type WordHazard = 'variable' | 'indirect' | 'assigns' | 'glob' | 'home' | 'brace' | 'unreadable'

/** One word of a command line. Shape: `value` is what the command receives, null where hazards say why not. */
export type Word = {
  /** Half-open, UTF-16 code units of the line. */
  from: number
  to: number
  raw: string
  value: string | null
  hazards: readonly WordHazard[]
}

const wordEnd = /[ \t\n;&|()<>]/
const name = '[A-Za-z_][A-Za-z0-9_]*'
const plainText = '[A-Za-z0-9_./-]*'
const pattern = '[A-Za-z0-9_./*?-]*'

const simpleVariable = new RegExp(`\\$(?:${name}|[0-9@*#?$!_-])`, 'y')
/** Only forms that neither run nor evaluate anything; subscripts and offsets are arithmetic, which can. */
const bracedVariable = new RegExp(
  `\\$\\{(?:#?${name}|${name}:?[-+?]${plainText}|${name}(?:##?|%%?|\\^\\^?|,,?)${pattern}|${name}//?${pattern}(?:/${plainText})?)\\}`,
  'y',
)
const assigningVariable = new RegExp(`\\$\\{${name}:?=${plainText}\\}`, 'y')
/** Numbers only: a name would be looked up, and its value evaluated. */
const plainArithmetic = /\$\(\([0-9 +*/%()-]+\)\)/y
const indirectVariable = new RegExp(`\\$\\{!${name}\\}`, 'y')
/** A `$` before one of these stands for itself. */
const literalDollarUnquoted = /[ \t\n;|&/.:,%\]]|$/y
const literalDollarQuoted = /["/ .:,%|)\]]/y
const anyWhiteSpace = /\s/u

const ansiEscapes: Record<string, string> = { n: '\n', t: '\t', '\\': '\\', "'": "'", '"': '"' }

/** Reads the word that begins at `from`; null where this reader does not know what the shell would do. */
export function scanWord(source: string, from: number): Word | null {
  const scan = new WordScan(source, from)
  return scan.run() ? scan.word() : null
}

/** Reads a whole text as one word; its hazard is `unreadable` where that cannot be done. */
export function readWord(source: string, from: number, to: number): Word {
  const raw = source.slice(from, to)
  const word = raw === '' ? null : scanWord(raw, 0)
  if (word === null || word.to !== raw.length) return { from, to, raw, value: null, hazards: ['unreadable'] }
  return { ...word, from, to }
}

class WordScan extends TextScan {
  private readonly from: number
  private value = ''
  /** The hazards so far, each as often as it occurs. */
  private readonly hazards: WordHazard[] = []
  private hasOpenBrace = false
  private hasBraceSeparator = false

  constructor(source: string, from: number) {
    super(source, from)
    this.from = from
  }

  word(): Word {
    if (this.hasOpenBrace && this.hasBraceSeparator) this.hazards.push('brace')
    const { hazards } = this
    const raw = this.text.slice(this.from, this.at)
    return { from: this.from, to: this.at, raw, value: hazards.length === 0 ? this.value : null, hazards }
  }

  run(): boolean {
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at)
      if (wordEnd.test(char)) break
      if (!this.step(char)) return false
    }
    return this.at > this.from
  }

  private step(char: string): boolean {
    switch (char) {
      case "'":
        return this.singleQuoted()
      case '"':
        return this.doubleQuoted()
      case '\\':
        return this.escaped()
      case '$':
        return this.text[this.at + 1] === "'" ? this.ansiQuoted() : this.dollar(literalDollarUnquoted)
      case '`':
        return false
      case '#':
        // At the beginning it starts a comment; inside a word it is a plain character.
        return this.at > this.from && this.take(char)
      default:
        return this.unquoted(char)
    }
  }

  private unquoted(char: string): boolean {
    // Shells and parsers differ on which of the rarer white space separates words.
    if (anyWhiteSpace.test(char)) return false
    if (char === '*' || char === '?' || char === '[') this.noteGlob(char)
    const before = this.text[this.at - 1]
    const mayBeHome = this.at === this.from || before === '=' || before === ':'
    if (char === '~' && mayBeHome) this.hazards.push('home')
    if (char === '{') this.hasOpenBrace = true
    if (char === ',' || (char === '.' && this.text[this.at + 1] === '.')) this.hasBraceSeparator = true
    return this.take(char)
  }

  /** Notes a pattern. The command `[`, a word of its own, is not one. */
  private noteGlob(char: string): void {
    const next = this.text[this.at + 1]
    const isAlone = this.at === this.from && (next === undefined || wordEnd.test(next))
    if (char !== '[' || !isAlone) this.hazards.push('glob')
  }

  private take(char: string): true {
    this.value += char
    this.at += 1
    return true
  }

  private singleQuoted(): boolean {
    const end = this.text.indexOf("'", this.at + 1)
    if (end < 0) return false
    this.value += this.text.slice(this.at + 1, end)
    this.at = end + 1
    return true
  }

  private escaped(): boolean {
    const next = this.text[this.at + 1]
    // A backslash before a line end joins two halves of a word that a reader sees apart.
    if (next === undefined || next === '\n') return false
    this.value += next
    this.at += 2
    return true
  }

  private doubleQuoted(): boolean {
    this.at += 1
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at)
      if (char === '"') {
        this.at += 1
        return true
      }
      if (char === '`') return false
      if (char === '$') {
        if (!this.dollar(literalDollarQuoted)) return false
      } else if (char === '\\') {
        if (!this.escapedInQuotes()) return false
      } else this.take(char)
    }
    return false
  }

  private escapedInQuotes(): boolean {
    const next = this.text[this.at + 1]
    if (next === undefined || next === '\n') return false
    this.value += '$`"\\'.includes(next) ? next : `\\${next}`
    this.at += 2
    return true
  }

  private ansiQuoted(): boolean {
    this.at += 2
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at)
      if (char === "'") {
        this.at += 1
        return true
      }
      if (char !== '\\') {
        this.take(char)
        continue
      }
      const decoded = ansiEscapes[this.text[this.at + 1] ?? '']
      if (decoded === undefined) return false
      this.value += decoded
      this.at += 2
    }
    return false
  }

  private dollar(literal: RegExp): boolean {
    if (this.expansion(plainArithmetic, 'variable')) return true
    if (this.expansion(assigningVariable, 'assigns')) return true
    if (this.expansion(indirectVariable, 'indirect')) return true
    if (this.expansion(bracedVariable, 'variable') || this.expansion(simpleVariable, 'variable')) return true
    literal.lastIndex = this.at + 1
    return literal.test(this.text) && this.take('$')
  }

  private expansion(form: RegExp, hazard: WordHazard): boolean {
    const isFound = this.match(form) !== null
    if (isFound) this.hazards.push(hazard)
    return isFound
  }
}

import { scanWord, type Word } from './shell-word.ts'
import { TextScan } from './text-scan.ts'

/** A piece of a command line. Shape: half-open `[from, to)` in UTF-16 code units. */
export type Token =
  | { kind: 'word'; from: number; to: number; word: Word }
  | {
      kind: 'operator' | 'descriptor' | 'newline' | 'comment' | 'heredoc-start' | 'heredoc-end'
      from: number
      to: number
    }

/** Longest first. Other operators of bash (`<>`, `;;`, `<(`) are missing here, or refused by their next character. */
const operators = [
  ...['&>>', '<<<', '<<-', '>&-', '<&-'],
  ...['&&', '||', '|&', '&>', '>>', '>|', '>&', '<&', '<<'],
  ...['&', '|', ';', '<', '>', '(', ')'],
]
const redirectStart = /[<>]/
const delimiter = /[ \t]*(?:([A-Za-z_]\w*)|'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)")(?=[ \t\n;&|<>)])/y
const blanks = /[ \t]+(?:\\\n[ \t]*)*/y
/** Control characters, and those that change how a line looks or where it seems to end. */
const deceptive = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/u
/** An expansion in a heredoc that is not simply a variable. */
const liveHeredoc = /`|\$(?![A-Za-z_])|\\\n/

type Heredoc = { delimiter: string; isQuoted: boolean; stripsTabs: boolean }

/**
 * Cuts a line into tokens by the part of bash's grammar that is understood here, nothing else.
 *
 * Written apart from the grammar of tree-sitter on purpose: a line counts as known only where both agree.
 * Shape: null for substitutions, process substitution, a second heredoc, and anything unknown.
 */
export function tokensOf(source: string): Token[] | null {
  if (!source.isWellFormed() || deceptive.test(source)) return null
  return new Lexer(source).run()
}

class Lexer extends TextScan {
  private readonly tokens: Token[] = []
  private heredoc: Heredoc | undefined
  private hasHeredoc = false

  run(): Token[] | null {
    while (this.at < this.text.length) {
      if (this.match(blanks) === null && !this.step()) return null
    }
    return this.heredoc === undefined ? this.tokens : null
  }

  private step(): boolean {
    if (this.text[this.at] === '\n') return this.newline()
    if (this.text[this.at] === '#') return this.comment()
    const operator = operators.find((text) => this.text.startsWith(text, this.at))
    if (operator !== undefined) return this.operator(operator)
    return this.descriptor() || this.word()
  }

  /** Reads a comment, which begins where a word may begin and must end the text. */
  private comment(): boolean {
    const text = this.text.slice(this.at).trimEnd()
    return this.heredoc === undefined && !text.includes('\n') && this.push('comment', this.at + text.length)
  }

  private push(kind: Exclude<Token['kind'], 'word'>, to: number): true {
    this.tokens.push({ kind, from: this.at, to })
    this.at = to
    return true
  }

  private operator(text: string): boolean {
    const next = this.text[this.at + text.length] ?? ''
    if (text === ';' && (next === ';' || next === '&')) return false
    if (text === '<' && next === '>') return false
    if ((text.endsWith('<') || text.endsWith('>')) && next === '(') return false
    if (text.endsWith('&-') && !/[ \t\n;&|)<>]|^$/.test(next)) return false
    this.push('operator', this.at + text.length)
    return text === '<<' || text === '<<-' ? this.heredocStart(text === '<<-') : true
  }

  private heredocStart(stripsTabs: boolean): boolean {
    delimiter.lastIndex = this.at
    const match = delimiter.exec(this.text)
    // A second heredoc, or another form of the delimiter, is rare, and parsers differ on it.
    if (match === null || this.hasHeredoc) return false
    this.hasHeredoc = true
    const word = match[1] ?? match[2] ?? match[3] ?? ''
    this.heredoc = { delimiter: word, isQuoted: match[1] === undefined, stripsTabs }
    this.at += match[0].length - match[0].trimStart().length
    return this.push('heredoc-start', delimiter.lastIndex)
  }

  private newline(): boolean {
    this.push('newline', this.at + 1)
    return this.heredoc === undefined || this.heredocBody(this.heredoc)
  }

  private heredocBody({ delimiter: wanted, isQuoted, stripsTabs }: Heredoc): boolean {
    const bodyFrom = this.at
    let lineFrom = bodyFrom
    while (lineFrom <= this.text.length) {
      const newlineAt = this.text.indexOf('\n', lineFrom)
      const lineTo = newlineAt < 0 ? this.text.length : newlineAt
      const line = this.text.slice(lineFrom, lineTo)
      if ((stripsTabs ? line.replace(/^\t+/, '') : line) === wanted) {
        this.heredoc = undefined
        this.at = lineFrom
        this.push('heredoc-end', lineTo)
        return isQuoted || !liveHeredoc.test(this.text.slice(bodyFrom, lineFrom))
      }
      lineFrom = lineTo + 1
    }
    return false
  }

  /** Reads digits directly before a redirection. */
  private descriptor(): boolean {
    const digits = /^\d+(?=[<>])/.exec(this.text.slice(this.at, this.at + 8))
    return digits !== null && this.push('descriptor', this.at + digits[0].length)
  }

  private word(): boolean {
    const word = scanWord(this.text, this.at)
    if (word === null) return false
    const next = this.text[word.to] ?? ''
    // `{name}>file` lets bash choose the descriptor.
    if (word.raw.startsWith('{') && redirectStart.test(next)) return false
    this.tokens.push({ kind: 'word', from: word.from, to: word.to, word })
    this.at = word.to
    return true
  }
}

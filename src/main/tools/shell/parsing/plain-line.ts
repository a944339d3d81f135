import type { Token } from './shell-lexer.ts'
import type { Word } from './shell-word.ts'

/** A redirection. Shape: `target` is null for a heredoc and for closing (`>&-`). */
export type Redirect = { operator: string; target: Word | null }

/** A command without structure of its own: assignments before it, its words, the name first. */
export type SimpleCommand = {
  words: readonly Word[]
  assignments: readonly Word[]
  from: number
  to: number
}

/** The parts of a line of lists, pipelines and groups, in the order of the text. */
export type PlainLine = { commands: SimpleCommand[]; redirects: Redirect[] }

/** Words that, in the place of a command, begin other structures or change what follows. */
const reserved = new Set(
  'if then else elif fi for while until do done case esac select function time coproc in [[ ]]'.split(' '),
)
const assignment = /^[A-Za-z_]\w*\+?=/
const redirects = new Set(['<', '>', '>>', '>|', '&>', '&>>', '>&', '<&', '<<<'])
const limitDepth = 20

/** Reads lists, pipelines, `( )`, `{ }` and `!`; null for every other structure. */
export function plainLine(source: string, tokens: readonly Token[]): PlainLine | null {
  const parse = new PlainParse(source, tokens)
  return parse.line() ? parse.result : null
}

class PlainParse {
  readonly result: PlainLine = { commands: [], redirects: [] }
  private readonly source: string
  private readonly tokens: readonly Token[]
  private index = 0
  private depth = 0

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source
    // Drops a heredoc's end, after which the line goes on, and a comment, which ends the line.
    this.tokens = tokens.filter(({ kind }) => kind !== 'heredoc-end' && kind !== 'comment')
  }

  line(): boolean {
    return this.list(undefined) && this.result.commands.length > 0
  }

  private text(): string | undefined {
    const token = this.tokens[this.index]
    return token === undefined ? undefined : this.source.slice(token.from, token.to)
  }

  private skipNewlines(): void {
    while (this.tokens[this.index]?.kind === 'newline') this.index += 1
  }

  private isEnd(closer: string | undefined): boolean {
    return closer === undefined ? this.index >= this.tokens.length : this.text() === closer
  }

  /** Reads pipelines up to the closer, or up to the end of the line. */
  private list(closer: string | undefined): boolean {
    this.skipNewlines()
    while (!this.isEnd(closer)) {
      if (!this.pipeline()) return false
      if (this.isEnd(closer)) return closer !== '}'
      if (!this.separator()) return false
      this.skipNewlines()
    }
    return true
  }

  private separator(): boolean {
    const text = this.text() ?? ''
    if (this.tokens[this.index]?.kind === 'newline') return true
    if (![';', '&', '&&', '||'].includes(text)) return false
    this.index += 1
    if (text !== '&&' && text !== '||') return true
    this.skipNewlines()
    return this.index < this.tokens.length
  }

  private pipeline(): boolean {
    if (this.text() === '!') this.index += 1
    if (!this.command()) return false
    while (this.text() === '|' || this.text() === '|&') {
      this.index += 1
      this.skipNewlines()
      if (!this.command()) return false
    }
    return true
  }

  private command(): boolean {
    const text = this.text()
    if (text === '(') return this.group(')')
    if (text === '{') return this.group('}')
    return this.simple()
  }

  private group(closer: ')' | '}'): boolean {
    const countBefore = this.result.commands.length
    this.depth += 1
    this.index += 1
    if (this.depth > limitDepth || !this.list(closer) || this.text() !== closer) return false
    this.index += 1
    this.depth -= 1
    while (this.isRedirect()) if (!this.redirect()) return false
    return this.result.commands.length > countBefore && this.tokens[this.index]?.kind !== 'word'
  }

  private simple(): boolean {
    const assignments: Word[] = []
    const words: Word[] = []
    const from = this.tokens[this.index]?.from ?? 0
    const first = this.index
    for (;;) {
      const token = this.tokens[this.index]
      if (token?.kind === 'word') {
        this.index += 1
        if (words.length === 0 && assignment.test(token.word.raw)) assignments.push(token.word)
        else words.push(token.word)
      } else if (this.isRedirect()) {
        if (!this.redirect()) return false
      } else break
    }
    if (this.index === first || this.text() === '(') return false
    const name = words[0]?.raw ?? ''
    if (reserved.has(name) || name === '{' || name === '}' || name === '!') return false
    const to = this.tokens[this.index - 1]?.to ?? from
    this.result.commands.push({ words, assignments, from, to })
    return true
  }

  private isRedirect(): boolean {
    const token = this.tokens[this.index]
    if (token?.kind === 'descriptor') return true
    const text = token?.kind === 'operator' ? this.text() : undefined
    return text !== undefined && (redirects.has(text) || text.endsWith('&-') || text.startsWith('<<'))
  }

  private redirect(): boolean {
    if (this.tokens[this.index]?.kind === 'descriptor') this.index += 1
    const operator = this.tokens[this.index]?.kind === 'operator' ? (this.text() ?? '') : ''
    this.index += 1
    if (operator.endsWith('&-')) return this.addRedirect(operator, null)
    const token = this.tokens[this.index]
    this.index += 1
    if (token?.kind === 'heredoc-start') return this.addRedirect(operator, null)
    return token?.kind === 'word' && redirects.has(operator) && this.addRedirect(operator, token.word)
  }

  private addRedirect(operator: string, target: Word | null): true {
    this.result.redirects.push({ operator, target })
    return true
  }
}

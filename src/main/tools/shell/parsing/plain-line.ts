import type { Token } from './shell-lexer.ts'
import type { Word } from './shell-word.ts'
import { wordSet } from './text-scan.ts'

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
const reserved = wordSet(
  'if then else elif fi for while until do done case esac select function time coproc in [[ ]]',
)
const assignment = /^[A-Za-z_]\w*\+?=/
const redirects = new Set(['<', '>', '>>', '>|', '&>', '&>>', '>&', '<&', '<<<'])
const limitDepth = 20

/** Reads lists, pipelines, `( )`, `{ }` and `!`; null for every other structure. */
export function plainLine(source: string, all: readonly Token[]): PlainLine | null {
  const result: PlainLine = { commands: [], redirects: [] }
  // Drops a heredoc's end, after which the line goes on, and a comment, which ends the line.
  const tokens = all.filter(({ kind }) => kind !== 'heredoc-end' && kind !== 'comment')
  let index = 0
  let depth = 0
  return list(undefined) && result.commands.length > 0 ? result : null

  function current(): string | undefined {
    const token = tokens[index]
    return token === undefined ? undefined : source.slice(token.from, token.to)
  }

  function skipNewlines(): void {
    while (tokens[index]?.kind === 'newline') index += 1
  }

  function isEnd(closer: string | undefined): boolean {
    return closer === undefined ? index >= tokens.length : current() === closer
  }

  /** Reads pipelines up to the closer, or up to the end of the line. */
  function list(closer: string | undefined): boolean {
    skipNewlines()
    while (!isEnd(closer)) {
      if (!pipeline()) return false
      if (isEnd(closer)) return closer !== '}'
      if (!separator()) return false
      skipNewlines()
    }
    return true
  }

  function separator(): boolean {
    const text = current() ?? ''
    if (tokens[index]?.kind === 'newline') return true
    if (![';', '&', '&&', '||'].includes(text)) return false
    index += 1
    if (text !== '&&' && text !== '||') return true
    skipNewlines()
    return index < tokens.length
  }

  function pipeline(): boolean {
    if (current() === '!') index += 1
    if (!command()) return false
    while (current() === '|' || current() === '|&') {
      index += 1
      skipNewlines()
      if (!command()) return false
    }
    return true
  }

  function command(): boolean {
    const text = current()
    if (text === '(') return group(')')
    if (text === '{') return group('}')
    return simple()
  }

  function group(closer: ')' | '}'): boolean {
    const countBefore = result.commands.length
    depth += 1
    index += 1
    if (depth > limitDepth || !list(closer) || current() !== closer) return false
    index += 1
    depth -= 1
    while (isRedirect()) if (!redirect()) return false
    return result.commands.length > countBefore && tokens[index]?.kind !== 'word'
  }

  function simple(): boolean {
    const assignments: Word[] = []
    const words: Word[] = []
    const from = tokens[index]?.from ?? 0
    const first = index
    for (;;) {
      const token = tokens[index]
      if (token?.kind === 'word') {
        index += 1
        if (words.length === 0 && assignment.test(token.word.raw)) assignments.push(token.word)
        else words.push(token.word)
      } else if (isRedirect()) {
        if (!redirect()) return false
      } else break
    }
    if (index === first || current() === '(') return false
    const name = words[0]?.raw ?? ''
    if (reserved.has(name) || name === '{' || name === '}' || name === '!') return false
    const to = tokens[index - 1]?.to ?? from
    result.commands.push({ words, assignments, from, to })
    return true
  }

  function isRedirect(): boolean {
    const token = tokens[index]
    if (token?.kind === 'descriptor') return true
    const text = token?.kind === 'operator' ? current() : undefined
    return text !== undefined && (redirects.has(text) || text.endsWith('&-') || text.startsWith('<<'))
  }

  function redirect(): boolean {
    if (tokens[index]?.kind === 'descriptor') index += 1
    const operator = tokens[index]?.kind === 'operator' ? (current() ?? '') : ''
    index += 1
    if (operator.endsWith('&-')) return addRedirect(operator, null)
    const token = tokens[index]
    index += 1
    if (token?.kind === 'heredoc-start') return addRedirect(operator, null)
    return token?.kind === 'word' && redirects.has(operator) && addRedirect(operator, token.word)
  }

  function addRedirect(operator: string, target: Word | null): true {
    result.redirects.push({ operator, target })
    return true
  }
}

import { TextScan, wordSet } from '../parsing/text-scan.ts'

/** Keywords that neither run a program, nor read or write files other than the named ones. */
const keywords = wordSet(
  'BEGIN END BEGINFILE ENDFILE if else for while do in break continue next nextfile exit delete print printf',
)
/** Functions that only compute; a parenthesis must follow each of them (`length` may stand alone). */
const functions = wordSet(
  'and atan2 compl cos exp gensub gsub index int isarray length log lshift match mktime or patsplit',
  'rand rshift sin split sprintf sqrt srand strftime strtonum sub substr systime tolower toupper typeof xor',
)
/** The only allowed variables in capitals: some others give access to files, functions or variables by their names. */
const capitals = wordSet(
  'CONVFMT ENVIRON ERRNO FIELDWIDTHS FILENAME FNR FPAT FS IGNORECASE NF NR OFMT OFS ORS RLENGTH RS RSTART RT',
  'SUBSEP',
)
/** Names that some version of awk does not read as variables, but as functions or statements with effects. */
const acting = wordSet(
  'system getline close fflush func function return load include namespace extension switch case default',
  'adump stopme bindtextdomain dcgettext dcngettext intdiv mkbool',
)

const blank = /[ \t]+/y
const name = /[A-Za-z_][A-Za-z0-9_]*/y
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/y
const string = /"(?:[^"\\\n]|\\[^\n])*"/y
/** No slash inside of brackets, whose end differs between versions of awk, and no expression that begins with `/=`. */
const regex = /\/(?!=)(?:[^/\\\n[\]]|\\[^\n]|\[\^?\]?(?:\[:[a-z]+:\]|[^\][/\\\n]|\\[^\n/])+\])+\//y
const operator = /\+\+|--|&&|\|\||==|!=|<=|>=|!~|[-+*/%^]=?|[=<!~?:,;(){}[\]$\n]|>(?!>)/y

/** After these tokens every awk reads a slash as the beginning of a regular expression, never as a division. */
const beforeRegex = new Set(['', '\n', ...'; { } ( , ! ~ !~ && || ? : = == !='.split(' ')])
const closers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Shape: a `value` may end an operand, so that a slash after it divides. */
type Token = { text: string; kind: 'value' | 'function' | 'keyword' | 'regex' | 'operator' }

/**
 * True for an awk program that can only compute and print.
 *
 * Every token must be of a list: there is no pipe, no call by name, no function or variable that reaches a file. `>` is
 * allowed where the program has no braces, so that it compares; in braces `print` may write with it. Forms that
 * versions of awk read differently (where a regular expression begins and ends, joined lines, comments) are refused.
 */
export function isReadOnlyAwk(program: string): boolean {
  return program.trim() !== '' && new AwkScan(program).run()
}

/** True for `name=value` that sets a plain variable, behind `-v` or between files. */
export function isReadOnlyAssignment(text: string): boolean {
  const assigned = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text)?.[1]
  return assigned !== undefined && isVariable(assigned) && !functions.has(assigned) && !keywords.has(assigned)
}

function isVariable(text: string): boolean {
  return !acting.has(text) && (capitals.has(text) || text.length === 1 || /[a-z]/.test(text))
}

class AwkScan extends TextScan {
  private last: Token = { text: '', kind: 'operator' }
  /** Open brackets; a parenthesis behind `if`, `for`, `while` is written `if(`. */
  private readonly open: string[] = []
  /** How many brackets were open at the statement's `print`; null outside of one. */
  private printDepth: number | null = null

  run(): boolean {
    while (this.at < this.text.length) {
      if (this.match(blank) !== null) continue
      const token = this.token()
      if (token === null || !this.follow(token)) return false
      this.last = token
    }
    return this.open.length === 0
  }

  private token(): Token | null {
    const word = this.match(name)
    if (word !== null) return this.word(word)
    const value = this.match(number) ?? this.match(string)
    if (value !== null) return { text: value, kind: 'value' }
    if (this.text[this.at] === '/' && this.last.kind !== 'value') {
      const mayBegin =
        this.last.kind === 'keyword' ? /^printf?$/.test(this.last.text) : beforeRegex.has(this.last.text)
      const found = mayBegin ? this.match(regex) : null
      return found === null ? null : { text: found, kind: 'regex' }
    }
    const text = this.match(operator)
    return text === null ? null : { text, kind: 'operator' }
  }

  private word(text: string): Token | null {
    if (keywords.has(text)) return { text, kind: 'keyword' }
    const rest = this.text.slice(this.at)
    if (functions.has(text))
      return /^[ \t]*\(/.test(rest) || text === 'length' ? { text, kind: 'function' } : null
    return !rest.startsWith('(') && isVariable(text) ? { text, kind: 'value' } : null
  }

  /** Notes what the token opens, closes or ends; false where it may write. */
  private follow(token: Token): boolean {
    const { text, kind } = token
    if (text === 'print' || text === 'printf') this.printDepth = this.open.length
    if (kind !== 'operator') return true
    const inner = this.open.at(-1)
    if (text === '(') this.open.push(/^(?:if|for|while)$/.test(this.last.text) ? 'if(' : '(')
    else if (text === '[' || text === '{') this.open.push(text)
    else if (text in closers) return this.close(token)
    else if (text === '>') return !this.text.includes('{')
    // Inside parentheses of a `print` every awk compares.
    else if (text === '>=')
      return this.printDepth === null || (this.open.length > this.printDepth && inner === '(')
    else if (text === ';') this.printDepth = null
    else if (text === '\n') {
      if (inner !== undefined && inner !== '{') return false
      // After a comma or an operator the statement goes on.
      if (this.last.kind !== 'operator' || /^(?:\+\+|--)$/.test(this.last.text)) this.printDepth = null
    }
    return true
  }

  private close(token: Token): boolean {
    const opened = this.open.pop()
    if (token.text === '}') this.printDepth = null
    // After a value in parentheses a slash divides; after a condition it begins a regular expression.
    else if (opened !== 'if(') token.kind = 'value'
    return opened === closers[token.text] || (opened === 'if(' && token.text === ')')
  }
}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'class'; ranges: [number, number][]; isNegated: boolean }
  | { kind: 'rule'; name: string }
  | { kind: 'choice'; options: Node[] }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'repeat'; item: Node; min: number; max: number }

const plainAlphabet = [...'あいうえおかきくけこ猫犬abcxyz 0123456789。']
const maxDepth = 60

/**
 * A text that matches a GBNF grammar, or null where a real server would ignore the grammar: a syntax error,
 * no root, an undefined rule, left recursion.
 */
export function sampleGrammar(grammar: string, random: () => number): string | null {
  try {
    const rules = parseGrammar(grammar)
    if (!rules.has('root') || [...rules.keys()].some((name) => isLeftRecursive(name, rules))) return null
    return sample({ kind: 'rule', name: 'root' }, rules, random, 0)
  } catch {
    return null
  }
}

/** Whether a rule can begin with itself. */
function isLeftRecursive(name: string, rules: Map<string, Node>): boolean {
  const seen = new Set<string>()
  const begins = (node: Node): boolean => {
    switch (node.kind) {
      case 'rule': {
        if (node.name === name) return true
        if (seen.has(node.name)) return false
        seen.add(node.name)
        const body = rules.get(node.name)
        return body !== undefined && begins(body)
      }
      case 'choice':
        return node.options.some(begins)
      case 'sequence':
        return node.items[0] !== undefined && begins(node.items[0])
      case 'repeat':
        return begins(node.item)
      default:
        return false
    }
  }
  const body = rules.get(name)
  return body !== undefined && begins(body)
}

function sample(node: Node, rules: Map<string, Node>, random: () => number, depth: number): string {
  if (depth > maxDepth) throw new Error('left recursion')
  const deeper = (inner: Node) => sample(inner, rules, random, depth + 1)
  switch (node.kind) {
    case 'text':
      return node.text
    case 'class':
      return sampleClass(node, random)
    case 'rule': {
      const body = rules.get(node.name)
      if (body === undefined) throw new Error(`undefined rule ${node.name}`)
      return deeper(body)
    }
    case 'choice':
      return deeper(node.options[Math.floor(random() * node.options.length)] ?? { kind: 'text', text: '' })
    case 'sequence':
      return node.items.map(deeper).join('')
    case 'repeat': {
      const most = Math.min(node.max, depth > 20 ? node.min : node.min + 6)
      const times = node.min + Math.floor(random() * (most - node.min + 1))
      return Array.from({ length: times }, () => deeper(node.item)).join('')
    }
  }
}

function sampleClass(node: Extract<Node, { kind: 'class' }>, random: () => number): string {
  const matches = (code: number) => node.ranges.some(([from, to]) => code >= from && code <= to)
  if (node.isNegated) {
    const allowed = plainAlphabet.filter((char) => !matches(char.codePointAt(0) ?? 0))
    return allowed[Math.floor(random() * allowed.length)] ?? ''
  }
  const range = node.ranges[Math.floor(random() * node.ranges.length)]
  if (range === undefined) throw new Error('empty class')
  return String.fromCodePoint(range[0] + Math.floor(random() * (range[1] - range[0] + 1)))
}

function parseGrammar(grammar: string): Map<string, Node> {
  const rules = new Map<string, Node>()
  for (const line of grammar.split(/\n(?=[\w-]+\s*::=)/)) {
    const match = /^\s*([\w-]+)\s*::=\s*([\s\S]*)$/.exec(line)
    if (match === null) throw new Error(`no rule in ${line}`)
    const reader = new Reader(match[2] ?? '')
    rules.set(match[1] ?? '', reader.choice())
    reader.end()
  }
  return rules
}

class Reader {
  readonly #text: string[]
  #at = 0

  constructor(text: string) {
    this.#text = [...text]
  }

  choice(): Node {
    const options = [this.#sequence()]
    while (this.#skip('|')) options.push(this.#sequence())
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options }
  }

  end(): void {
    this.#space()
    if (this.#at < this.#text.length) throw new Error(`unexpected ${this.#text[this.#at]}`)
  }

  #sequence(): Node {
    const items: Node[] = []
    for (;;) {
      this.#space()
      const next = this.#text[this.#at]
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items }
      items.push(this.#repeated(this.#item(next)))
    }
  }

  #item(next: string): Node {
    if (next === '(') {
      this.#at += 1
      const inner = this.choice()
      if (!this.#skip(')')) throw new Error('missing )')
      return inner
    }
    if (next === '"') return { kind: 'text', text: this.#quoted() }
    if (next === '[') return this.#class()
    const name = /^[\w-]+/.exec(this.#text.slice(this.#at).join(''))?.[0]
    if (name === undefined) throw new Error(`unexpected ${next}`)
    this.#at += name.length
    return { kind: 'rule', name }
  }

  #repeated(item: Node): Node {
    const rest = this.#text.slice(this.#at, this.#at + 24).join('')
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})/.exec(rest)
    if (match === null) return item
    this.#at += match[0].length
    if (match[1] === '*') return { kind: 'repeat', item, min: 0, max: Number.POSITIVE_INFINITY }
    if (match[1] === '+') return { kind: 'repeat', item, min: 1, max: Number.POSITIVE_INFINITY }
    if (match[1] === '?') return { kind: 'repeat', item, min: 0, max: 1 }
    const min = Number(match[2])
    const max = match[3] === '' ? min : match[4] === '' ? Number.POSITIVE_INFINITY : Number(match[4])
    return { kind: 'repeat', item, min, max }
  }

  #quoted(): string {
    this.#at += 1
    let text = ''
    while (this.#text[this.#at] !== '"') text += this.#char()
    this.#at += 1
    return text
  }

  #class(): Node {
    this.#at += 1
    const isNegated = this.#text[this.#at] === '^'
    if (isNegated) this.#at += 1
    const ranges: [number, number][] = []
    while (this.#text[this.#at] !== ']') {
      const from = this.#char().codePointAt(0) ?? 0
      const isRange = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']'
      if (isRange) this.#at += 1
      ranges.push([from, isRange ? (this.#char().codePointAt(0) ?? 0) : from])
    }
    this.#at += 1
    return { kind: 'class', ranges, isNegated }
  }

  #char(): string {
    const char = this.#text[this.#at]
    if (char === undefined) throw new Error('unterminated')
    this.#at += 1
    if (char !== '\\') return char
    const escaped = this.#text[this.#at] ?? ''
    this.#at += 1
    const wide = { x: 2, u: 4, U: 8 }[escaped]
    if (wide !== undefined) {
      const code = this.#text.slice(this.#at, this.#at + wide).join('')
      this.#at += wide
      return String.fromCodePoint(Number.parseInt(code, 16))
    }
    return { n: '\n', t: '\t', r: '\r' }[escaped] ?? escaped
  }

  #skip(char: string): boolean {
    this.#space()
    if (this.#text[this.#at] !== char) return false
    this.#at += 1
    return true
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }
}

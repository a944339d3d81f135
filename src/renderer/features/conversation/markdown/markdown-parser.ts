import MarkdownIt, { type Token } from 'markdown-it'

/** One block of a text at its outermost level: a paragraph, a list, a table, a piece of code. */
export type MarkdownBlock = { startLine: number; tokens: readonly Token[] }

type ParseMarkdown = (text: string) => MarkdownBlock[]

/** Deeper quotes and lists stay text. */
const deepestNesting = 24

/** Longer texts are shown as they are written. Units: UTF-16 units. */
export const longestMarkdown = 400_000

const openable = /^(?:https?:\/\/|mailto:)[^\s]/i

/** True for the addresses that a click may open: the web's and mail's, nothing that runs or reads. */
export function isOpenable(address: string): boolean {
  return openable.test(address)
}

/** True for a link without a scheme: a path in the project, which is shown but never opened. */
function hasNoScheme(address: string): boolean {
  return !/^[^/?#]*:/.test(address.trim()) && !address.trim().startsWith('//')
}

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false })
markdown.set({ maxNesting: deepestNesting })
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
markdown.validateLink = (address) => isOpenable(address) || hasNoScheme(address)

/** Returns the outermost blocks of a text; raw HTML in it is text. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  let open: Token[] = []
  for (const token of markdown.parse(text, {})) {
    open.push(token)
    if (token.level !== 0 || token.nesting === 1) continue
    blocks.push({ startLine: open[0]?.map?.[0] ?? 0, tokens: open })
    open = []
  }
  return blocks
}

/**
 * Parses a text that grows at its end again for each piece, except for the part that is settled.
 *
 * A block is settled as soon as the next one stands on a whole line: nothing that follows can change it any
 * more, except a link's address that is given further down, which waits for the whole text. Settled blocks stay
 * the same objects; only what comes after them is parsed with each piece.
 */
export class MarkdownStream {
  readonly #parse: ParseMarkdown
  #text = ''
  #blocks: readonly MarkdownBlock[] = []
  #settled: readonly MarkdownBlock[] = []
  #settledText = ''

  constructor(parse: ParseMarkdown = parseMarkdown) {
    this.#parse = parse
  }

  update(written: string): readonly MarkdownBlock[] {
    const text = written.includes('\r') ? written.replace(/\r\n?/g, '\n') : written
    if (text === this.#text && this.#blocks.length > 0) return this.#blocks
    if (!text.startsWith(this.#settledText)) {
      this.#settled = []
      this.#settledText = ''
    }
    this.#text = text
    const rest = text.slice(this.#settledText.length)
    const parsed = this.#parse(rest)
    const open = firstOpen(parsed, rest)
    this.#settled = [...this.#settled, ...parsed.slice(0, open)]
    this.#settledText += rest.slice(0, lineStart(rest, parsed[open]?.startLine ?? 0))
    this.#blocks = [...this.#settled, ...parsed.slice(open)]
    return this.#blocks
  }
}

function firstOpen(blocks: readonly MarkdownBlock[], text: string): number {
  const wholeLines = text.split('\n').length - 1
  const last = blocks.findLastIndex((block) => block.startLine < wholeLines)
  return Math.max(last, 0)
}

function lineStart(text: string, line: number): number {
  let at = 0
  for (let count = 0; count < line; count += 1) at = text.indexOf('\n', at) + 1
  return at
}

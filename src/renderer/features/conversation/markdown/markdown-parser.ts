import MarkdownIt, { type Token } from 'markdown-it'

/** One block of a text at its outermost level: a paragraph, a list, a table, a piece of code. */
export type MarkdownBlock = { startLine: number; tokens: readonly Token[] }

export type ParseMarkdown = (text: string) => MarkdownBlock[]

/** Deeper quotes and lists stay text. */
const deepestNesting = 24

/** Longer texts are shown as they are written. Units: UTF-16 units. */
export const longestMarkdown = 400_000

const openable = /^(?:https?:\/\/|mailto:)[^\s]/i

/** True for the addresses that a click may open: the web's and mail's, nothing that runs or reads. */
export function isOpenable(address: string): boolean {
  return openable.test(address)
}

/** A target without a scheme is a place in the project: it is read, never opened. */
function hasNoScheme(address: string): boolean {
  return !/^[^/?#]*:/.test(address.trim()) && !address.trim().startsWith('//')
}

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false })
markdown.set({ maxNesting: deepestNesting })
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
markdown.validateLink = (address) => isOpenable(address) || hasNoScheme(address)

/** The outermost blocks of a text; raw HTML in it is text. */
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

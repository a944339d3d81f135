import type TurndownService from 'turndown'
import { answerThread } from '../platform/node/limited-thread.ts'
import type { PageText } from './page-text.ts'

/** The input of the thread that reads a web page. */
export type HtmlWork = { html: string; address: string }

export const moduleUrl = import.meta.url

/** The members of an element that are used here. */
type PageElement = { nodeName: string; getAttribute(name: string): string | null }

/** Elements whose text is not visible on the page. */
const unread: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'svg',
  'canvas',
  'title',
  'nav',
  'dialog',
])

/** Converts a page to text. Called in the thread below only, since a hostile page can take any time and memory. */
async function htmlText(html: string, address: string): Promise<PageText> {
  const { default: Turndown } = await import('turndown')
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  service.remove((node) => unread.has((node as unknown as PageElement).nodeName.toLowerCase()))
  service.addRule('link', linkRule(address))
  service.addRule('image', { filter: 'img', replacement: (_, node) => altOf(node as unknown as PageElement) })
  const title = /<title[^<>]*>([^<]{0,500})/i.exec(html)?.[1] ?? ''
  const text = service.turndown(html)
  return {
    title: service.turndown(title).replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim(),
    text: text.replace(/\n{3,}/g, '\n\n').trim(),
  }
}

/** Returns a rule that writes links with their whole address, so that a model can follow them. */
function linkRule(address: string): TurndownService.Rule {
  return {
    filter: (node) => hasTarget(node as unknown as PageElement),
    replacement(content, node) {
      const words = content.replace(/\s+/g, ' ').trim()
      const href = (node as unknown as PageElement).getAttribute('href') ?? ''
      const target = href.startsWith('#') ? null : URL.parse(href, address)
      if (words === '') return ''
      return target === null || !target.protocol.startsWith('http') ? words : `[${words}](${target.href})`
    },
  }
}

function hasTarget(node: PageElement): boolean {
  return node.nodeName === 'A' && node.getAttribute('href') !== null
}

function altOf(node: PageElement): string {
  const alt = node.getAttribute('alt')?.replace(/\s+/g, ' ').trim() ?? ''
  return alt === '' ? '' : `(${alt})`
}

await answerThread(moduleUrl, ({ html, address }: HtmlWork) => htmlText(html, address))

import type TurndownService from 'turndown'
import type { FetchedPage } from './fetch-page.ts'
import { WebRefusal } from './web-refusal.ts'

/** What is used of an element. */
type PageElement = { nodeName: string; getAttribute(name: string): string | null }

/** A page as a model reads it. */
export type PageText = { title: string; text: string }

/** Elements whose text nobody reads on the page. */
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

/** The text of a page, as Markdown where it is HTML. Errors: `WebRefusal` for what is no text. */
export async function pageText(page: FetchedPage): Promise<PageText> {
  const { type } = page
  if (type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && looksLikeHtml(page.body)))
    return htmlText(decoded(page, charsetInHtml(page.body)), page.address)
  if (!isText(type)) throw new WebRefusal('not-text', { type, sizeBytes: page.body.length })
  return { title: '', text: decoded(page, null).trim() }
}

function isText(type: string): boolean {
  return (
    type === '' ||
    type.startsWith('text/') ||
    /^application\/([\w.-]+\+)?(json|xml|javascript|yaml|toml)$/.test(type)
  )
}

function looksLikeHtml(body: Buffer): boolean {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(body.toString('latin1', 0, 1_024))
}

function charsetInHtml(body: Buffer): string | null {
  const head = body.toString('latin1', 0, 4_096)
  return /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? null
}

/** An encoding that nobody knows is read as UTF-8. */
function decoded({ body, charset }: FetchedPage, inText: string | null): string {
  for (const label of [charset, inText]) {
    if (label === null) continue
    try {
      return new TextDecoder(label).decode(body)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return new TextDecoder().decode(body)
}

async function htmlText(html: string, address: string): Promise<PageText> {
  const { default: Turndown } = await import('turndown')
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  service.remove((node) => unread.has((node as unknown as PageElement).nodeName.toLowerCase()))
  service.addRule('link', linkRule(address))
  service.addRule('image', { filter: 'img', replacement: (_, node) => altOf(node as unknown as PageElement) })
  const title = /<title[^>]*>([^<]{0,500})/i.exec(html)?.[1] ?? ''
  const text = service.turndown(html)
  return {
    title: service.turndown(title).replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim(),
    text: text.replace(/\n{3,}/g, '\n\n').trim(),
  }
}

/** Links with their whole address, so that a model can go on from them. */
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

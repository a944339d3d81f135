import { runModule, ThreadLimitError } from '../platform/node/limited-thread.ts'
import type { FetchedPage } from './fetch-page.ts'
import type { HtmlWork } from './html-text.ts'
import { WebRefusal } from './web-address.ts'

/** A page as a model reads it. */
export type PageText = { title: string; text: string }

/** Limits of reading a page's HTML. Units: ms; MB. */
const limits = { ms: 10_000, mb: 512 } as const

/**
 * Returns the text of a page, as Markdown where it is HTML.
 *
 * Errors: `WebRefusal` for a page that is not text, or exceeds the limits of reading; the signal's reason.
 */
export async function pageText(
  page: FetchedPage,
  signal: AbortSignal,
  timeoutMs: number = limits.ms,
): Promise<PageText> {
  const { type } = page
  const head = page.body.toString('latin1', 0, 4_096)
  const isUntoldHtml = type === '' && /^\s*<(!doctype html|html|head|body)\b/i.test(head.slice(0, 1_024))
  if (type === 'text/html' || type === 'application/xhtml+xml' || isUntoldHtml) {
    const charset = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? null
    return htmlInThread(decoded(page, charset), page.address, signal, timeoutMs)
  }
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

/** Decodes a page; an unknown encoding is read as UTF-8. */
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

/** Reads HTML in its own thread, which can be ended where a page is made to take for ever. */
async function htmlInThread(
  html: string,
  address: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<PageText> {
  const { moduleUrl } = await import('./html-text.ts')
  const work: HtmlWork = { html, address }
  return runModule<PageText>(moduleUrl, work, { ...limits, ms: timeoutMs }, signal).catch(
    (error: unknown) => {
      throw error instanceof ThreadLimitError ? new WebRefusal('too-complex') : error
    },
  )
}

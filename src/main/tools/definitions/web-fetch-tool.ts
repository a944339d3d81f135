import { z } from 'zod'
import { readAddress, siteOf, WebRefusal } from '../../web/web-address.ts'
import { harmless, headOf, sizeOf } from '../defining/result-text.ts'
import {
  defineTool,
  ownWords,
  reasonArgs,
  say,
  type ToolContext,
  ToolRefusal,
  worldCall,
} from '../defining/tool.ts'
import type { CallResult } from '../prepared-call.ts'

/** Maximum size of a page, which is read part by part. Units: bytes. */
const limitPageBytes = 65_536
const headBytes = 1_500

export const webFetchTool = defineTool({
  name: 'web_fetch',
  args: z.strictObject({
    url: z.string().min(1),
    from: z.int().min(0).max(limitPageBytes).optional(),
    ...reasonArgs,
  }),
  about: 'url',
  async prepare({ url, from = 0, ...words }, site) {
    const address = await refusing(() => readAddress(url))
    // Checked first, so that the user is not asked about a page that would not be fetched.
    await refusing(() => site.context.web()?.check(address))
    return worldCall(site, {
      ...ownWords(words),
      facts: { kind: 'outside', place: siteOf(address), line: address.href },
      what: [address.href, from],
      run: ({ signal }) => readPage(site.context, address, from, signal),
    })
  },
})

async function readPage(
  context: ToolContext,
  wanted: URL,
  from: number,
  signal: AbortSignal,
): Promise<CallResult> {
  const reader = context.web()
  if (reader === null) throw new ToolRefusal('web.off')
  const { address, title, text, isCut } = await refusing(() => reader.read(wanted, signal))
  const whole = harmless(text)
  const page = Buffer.from(headOf(whole, limitPageBytes))
  const shown = headOf(page.toString('utf8', Math.min(from, page.length)), context.resultBytes() - headBytes)
  const end = from + sizeOf(shown)
  const lines = [
    say(context, 'web.head', { address, title: title === '' ? address : harmless(title) }),
    shown === '' ? say(context, from === 0 ? 'web.empty' : 'web.beyond') : shown,
  ]
  const isMore = end < page.length
  const isLonger = isCut || page.length < sizeOf(whole)
  if (isMore) lines.push(say(context, 'web.more', { end, total: page.length }))
  else if (isLonger) lines.push(say(context, 'web.too-long', { limit: limitPageBytes }))
  const view = { kind: 'page' as const, address, title, isCut: isMore || isLonger }
  return { isOk: true, text: lines.join('\n'), view }
}

async function refusing<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof WebRefusal) throw new ToolRefusal(`web.${error.reason}`, error.values)
    throw error
  }
}

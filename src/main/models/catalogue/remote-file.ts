import { AppError } from '../../../shared/errors.ts'
import type { Fetch } from '../../deps.ts'
import { hostOf, networkReason, statusFailure } from './download-contract.ts'

/** Facts about a file that a server gives before it sends it. Units: bytes. */
export type RemoteFile = {
  totalBytes: number
  /** Hash of the content, where the server gives one. */
  sha256: string | null
  /** Another content has another tag. */
  tag: string | null
  /** True where the server sends parts of a file on demand. */
  canResume: boolean
}

const usualHub = 'https://huggingface.co/'

/** Returns the address of the hub, with a slash at its end; the usual one where `address` is not an address. */
export function hubOf(address: string | undefined): string {
  if (address === undefined || !/^https?:\/\//.test(address) || !URL.canParse(address)) return usualHub
  return address.endsWith('/') ? address : `${address}/`
}

/** Returns the address of a `hf:<user>/<model>/<file>[#<branch>]`. */
export function addressOf(uri: string, hub: string): string {
  const [path = '', branch = 'main'] = uri.replace(/^hf:/, '').split('#')
  const [user = '', model = '', file = ''] = path.split('/')
  const parts = [user, model, 'resolve', branch, file].map(encodeURIComponent)
  return `${hub}${parts.join('/')}`
}

/**
 * Asks for a file without fetching it: first its facts, then its first four bytes, which also show whether the
 * server sends parts.
 *
 * Errors: `download/offline`, `download/not-found`, `download/refused`, `download/server`, `download/not-a-model`,
 * `download/no-ranges` where a server says that it sends parts and does not.
 * Source: https://huggingface.co/docs/hub/api (`/resolve/`), the headers `X-Linked-Size` and `X-Linked-Etag`.
 */
export async function askRemote(
  fetch: Fetch,
  address: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const head = await fetch(address, { method: 'HEAD', redirect: 'manual', signal: both })
    if (head.status >= 400 && head.status !== 405 && head.status !== 501) refuse(head.status, address)
    const first = await fetch(address, {
      headers: { range: 'bytes=0-3', 'accept-encoding': 'identity' },
      signal: both,
    })
    if (first.status >= 400 || first.body === null) refuse(first.status, address)
    const magic = await firstBytes(first, 4)
    if (magic !== 'GGUF') throw new AppError({ code: 'download/not-a-model', address })
    const saysRanges = first.headers.get('accept-ranges') === 'bytes'
    if (first.status !== 206 && saysRanges)
      throw new AppError({ code: 'download/no-ranges', host: hostOf(address) })
    const linked = head.headers.get('x-linked-etag') ?? head.headers.get('etag') ?? first.headers.get('etag')
    const tag = linked?.replace(/^W\//, '').replaceAll('"', '') ?? null
    return {
      totalBytes: sizeOf(head, first) ?? 0,
      sha256: tag !== null && /^[0-9a-f]{64}$/.test(tag) ? tag : null,
      tag,
      canResume: saysRanges,
    }
  } catch (error) {
    if (signal.aborted || error instanceof AppError) throw error
    const reason = both.aborted ? 'ETIMEDOUT' : networkReason(error)
    throw new AppError({ code: 'download/offline', host: hostOf(address), reason }, { cause: error })
  }
}

function refuse(status: number, address: string): never {
  throw new AppError(statusFailure(status, address))
}

function sizeOf(head: Response, first: Response): number | null {
  const range = /\/(\d+)$/.exec(first.headers.get('content-range') ?? '')?.[1]
  const length = first.status === 200 ? first.headers.get('content-length') : null
  const size = Number(range ?? length ?? head.headers.get('x-linked-size') ?? Number.NaN)
  return Number.isSafeInteger(size) && size > 0 ? size : null
}

/** Reads the first bytes and cancels the rest. */
async function firstBytes(answer: Response, count: number): Promise<string> {
  let text = ''
  const reader = answer.body?.getReader()
  while (reader !== undefined && text.length < count) {
    const { done, value } = await reader.read()
    if (done) break
    text += Buffer.from(value).toString('latin1')
  }
  await reader?.cancel().catch(() => undefined)
  return text.slice(0, count)
}

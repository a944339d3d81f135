import { z } from 'zod'
import { stream } from '../../../shared/contract/method.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'

/** The request to the process of a download. Shape: `folder` is an absolute path, `file` a name in it. */
const DownloadOrder = z.object({
  uri: z.string(),
  hub: z.string(),
  folder: z.string(),
  file: z.string(),
})
export type DownloadOrder = z.infer<typeof DownloadOrder>

/** The progress of a download; `whole` comes last. Units: bytes. */
const DownloadStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fetching'), receivedBytes: z.number(), totalBytes: z.number() }),
  z.object({ kind: z.literal('checking'), receivedBytes: z.number(), totalBytes: z.number() }),
  z.object({ kind: z.literal('whole'), sizeBytes: z.number(), sha256: z.string() }),
])
export type DownloadStep = z.infer<typeof DownloadStep>

/** The requests that the process of a download answers. */
export const downloadContract = { 'download.run': stream(DownloadOrder, DownloadStep) }

/**
 * Returns why a download failed, from the error that ipull or Node threw.
 *
 * Source: ipull's errors (`StatusCodeError.statusCode`, `InvalidContentLengthError`), Node's `code` and `cause`.
 */
export function downloadFailure(error: unknown, place: DownloadOrder): ErrorInfo {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return { code: 'file/disk-full', path: place.folder }
  if (code === 'EACCES' || code === 'EPERM') return { code: 'file/denied', path: place.folder }
  const { statusCode } = Object(error) as { statusCode?: unknown }
  if (typeof statusCode === 'number') return statusFailure(statusCode, place.uri)
  const reason = error instanceof Error ? error.message : String(error)
  // The server announced that it can send parts of a file, and then sent another number of bytes.
  if (/^Expected \d+ bytes, but got /.test(reason))
    return { code: 'download/no-ranges', host: hostOf(place.hub) }
  const isOfNetwork = /^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN)|ENOTFOUND|UND_ERR_)/.test(code ?? '')
  if (isOfNetwork || (error instanceof TypeError && /fetch failed|terminated/.test(reason)))
    return { code: 'download/offline', host: hostOf(place.hub), reason: networkReason(error) }
  return { code: 'download/failed', reason }
}

/** Returns the error that the status of an answer without the file means. */
export function statusFailure(status: number, address: string): ErrorInfo {
  if (status === 404 || status === 410) return { code: 'download/not-found', address }
  if (status === 401 || status === 403 || status === 451) return { code: 'download/refused', address, status }
  return { code: 'download/server', address, status }
}

/** Returns the system's error code where there is one: `fetch` itself says only that it failed. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = codeOf(error)
  if (code !== undefined) return code
  if (cause instanceof Error && cause.message !== '') return cause.message
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 4; one = one.cause, depth += 1) {
    const { code } = one as { code?: unknown }
    if (typeof code === 'string') return code
    if (one instanceof AggregateError) return codeOf(one.errors[0])
  }
  return undefined
}

export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

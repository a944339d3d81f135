import { ErrorInfo } from '../errors.ts'
import type { RequestFrame, ResponseFrame } from '../wire.ts'

/** A request that names its id but cannot be carried out. */
export type MalformedRequest = { t: 'malformed'; id: number }

/** Reads a frame from the caller, which may send anything; undefined where no answer is possible. */
export function readRequest(value: unknown): RequestFrame | MalformedRequest | undefined {
  if (!isRecord(value) || !isId(value.id)) return undefined
  const { t, id, method, input } = value
  if (t === 'cancel') return { t, id }
  if (t !== 'call' && t !== 'stream') return undefined
  return typeof method === 'string' ? { t, id, method, input } : { t: 'malformed', id }
}

/** Reads a frame from the host; undefined for anything else. */
export function readResponse(value: unknown): ResponseFrame | undefined {
  if (!isRecord(value) || !isId(value.id)) return undefined
  const { t, id } = value
  if (t === 'result' || t === 'item') return { t, id, value: value.value }
  if (t === 'end') return { t, id }
  if (t !== 'failed') return undefined
  const error = ErrorInfo.safeParse(value.error)
  return { t, id, error: error.success ? error.data : { code: 'internal/bug', logId: 'unreadable-error' } }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

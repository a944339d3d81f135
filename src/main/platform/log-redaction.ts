const secretKey = /(key|secret|password|authorization|cookie|credential|bearer)s?$|^token$|accessToken$/i
const proseKey =
  /^(text|prompt|prompts|content|contents|body|completion|sample|memo|synopsis|setting|plot|title|value|values|sourceText|authorsNote|lead|message|query)$/i
const limitStringChars = 300

/**
 * Returns a copy of `data` that may be written to a log: without keys, and with only the length of people's texts.
 */
export function redact(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, redactValue(key, value, 0)]))
}

/**
 * Returns the part of an error message that may be logged: quoted parts and all non-ASCII text may be manuscript and
 * are removed.
 */
export function redactMessage(message: string): string {
  return message
    .slice(0, 2000)
    .replace(/(["'`]).*?\1/gs, '$1…$1')
    .replace(/[^\n\x20-\x7e]+/g, '…')
    .slice(0, limitStringChars)
}

function redactValue(key: string, value: unknown, depth: number): unknown {
  if (secretKey.test(key)) return '[redacted]'
  if (typeof value === 'string') {
    if (proseKey.test(key)) return `[${value.length} units]`
    return value.length > limitStringChars ? `${value.slice(0, limitStringChars)}…` : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= 4) return '[deep]'
  if (value instanceof Error) return { name: value.name, message: redactMessage(value.message) }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redactValue(key, item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, redactValue(name, inner, depth + 1)]),
  )
}

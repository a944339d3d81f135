/** Writes JSON like Python's `json.dumps`: a space after `,` and `:`, all non-ASCII characters escaped. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${ascii(key)}: ${pythonJson(member)}`)
    return `{${members.join(', ')}}`
  }
  return typeof value === 'string' ? ascii(value) : JSON.stringify(value)
}

function ascii(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A JSON number that Python would read as a float although its value is whole (`16.0`, `1e2`). */
const pythonFloat = Symbol('python float')

/** Parses strictly; `integerKeys` with a float's notation come back as `pythonFloat`. Throws on bad JSON. */
export function parseJson(text: string, integerKeys: readonly string[]): unknown {
  return JSON.parse(
    text,
    function revive(this: unknown, key: string, value: unknown, context?: { source?: string }) {
      if (integerKeys.includes(key) && typeof value === 'number' && /[.eE]/.test(context?.source ?? '')) {
        return pythonFloat
      }
      return value
    },
  )
}

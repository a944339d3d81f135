/** Reads JSON; undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes a value as JSON; null where its lists and objects are nested deeper than the stack allows. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The deepest nesting accepted: more than readable data has, and far less than a stack holds. */
export const limitJsonDepth = 100

/**
 * Returns true for JSON whose lists and objects are nested deeper than `limit`: code that walks through it would
 * overflow the stack, on each request of a session that keeps it. Brackets in texts do not count.
 */
export function isTooDeep(json: string, limit = limitJsonDepth): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (isText) {
      if (char === '\\') at += 1
      else if (char === '"') isText = false
    } else if (char === '"') isText = true
    else if (char === '[' || char === '{') {
      depth += 1
      if (depth > limit) return true
    } else if (char === ']' || char === '}') depth -= 1
  }
  return false
}

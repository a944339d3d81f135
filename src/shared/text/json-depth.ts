/** A value as JSON; null where its lists and objects stand in each other deeper than a stack holds. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** More levels than anything that is meant to be read has; far fewer than a stack holds. */
export const limitJsonDepth = 100

/**
 * True for JSON whose lists and objects stand in each other deeper than `limit`: whatever walks through it would
 * run out of stack, on each request of a session that keeps it. Brackets in texts do not count.
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

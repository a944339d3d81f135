/** A value of a column; undefined for what is no JSON, so that one damaged row does not keep the others away. */
export function storedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One case of a vector file: plain JSON, its shape known to its group. */
export type VectorCase = Record<string, unknown>

/** How the cases of one key of a vector file are run. Shape: `run` returns what differs, or nothing. */
export type VectorGroup = {
  key: string
  /** Prose for people: counted, not run. */
  isProse?: boolean
  run(vector: VectorCase): Promise<string | undefined> | string | undefined
}

/** Compares two JSON values; keys that `expected` does not have are ignored. */
export function difference(actual: unknown, expected: unknown, at = ''): string | undefined {
  if (isRecord(expected) && isRecord(actual)) {
    for (const [key, value] of Object.entries(expected)) {
      const found = difference(actual[key], value, at === '' ? key : `${at}.${key}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (JSON.stringify(actual) === JSON.stringify(expected)) return undefined
  return `${at || 'result'}: wanted ${shown(expected)}, got ${shown(actual)}`
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value as text; of a long text only its length and both ends. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 400 ? text : `${text.slice(0, 200)} … (${text.length}) … ${text.slice(-150)}`
}

/** Compares the exact chance of every output. */
export function chanceDifference(actual: Map<string, number>, expected: unknown): string | undefined {
  const wanted = new Map(Object.entries(isRecord(expected) ? expected : {}))
  for (const output of new Set([...actual.keys(), ...wanted.keys()])) {
    const got = actual.get(output) ?? 0
    const want = Number(wanted.get(output) ?? 0)
    if (Math.abs(got - want) > 1e-9) return `${JSON.stringify(output)}: wanted chance ${want}, got ${got}`
  }
  return undefined
}

/** Returns every possible output of a roll with its probability. */
export function everyRoll(roll: (pick: (count: number) => number) => string): Map<string, number> {
  const outputs = new Map<string, number>()
  const visit = (script: readonly number[]): void => {
    let turn = 0
    let chance = 1
    let openCount: number | undefined
    const output = roll((count) => {
      const chosen = script[turn]
      if (chosen === undefined) openCount ??= count
      turn++
      chance /= count
      return chosen ?? 0
    })
    if (openCount === undefined) outputs.set(output, (outputs.get(output) ?? 0) + chance)
    else for (let option = 0; option < openCount; option++) visit([...script, option])
  }
  visit([])
  return outputs
}

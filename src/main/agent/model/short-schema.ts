type Schema = Record<string, unknown>

/** What a text may be shortened to at the most. Units: characters. */
const leastLength = 24
/** A character of free text in tokens, generously; what is not free text, once. */
const perCharacter = 1

/**
 * The same schema with texts so short that an answer of the longest ones ends within `maxTokens`: a small model
 * that cannot stop is stopped by its grammar, and the answer is whole.
 *
 * Shape: lengths keep their proportions, and none goes below 24 characters. The validator's limits stay.
 */
export function shortSchema(schema: Schema, maxTokens: number): Schema {
  const texts = longestTexts(schema)
  const frame = frameLength(schema)
  const factor = Math.min(1, Math.max(0, maxTokens - frame) / Math.max(1, texts * perCharacter))
  return factor === 1 ? schema : (shortened(schema, factor) as Schema)
}

/** Of all free texts together, each list full and each choice the longest. */
function longestTexts(schema: Schema): number {
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return Math.max(...options.map((option) => longestTexts(option as Schema)))
  if (schema.type === 'string' && typeof schema.maxLength === 'number') return schema.maxLength
  if (schema.type === 'array' && typeof schema.maxItems === 'number')
    return schema.maxItems * longestTexts((schema.items ?? {}) as Schema)
  const properties = Object.values((schema.properties ?? {}) as Record<string, Schema>)
  return properties.reduce((sum, part) => sum + longestTexts(part), 0)
}

/** Keys and punctuation, roughly: what an answer has besides its texts. Units: tokens. */
function frameLength(schema: Schema): number {
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return Math.max(...options.map((option) => frameLength(option as Schema)))
  if (schema.type === 'array')
    return (
      2 + ((schema.maxItems as number | undefined) ?? 1) * (2 + frameLength((schema.items ?? {}) as Schema))
    )
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  if (properties.length === 0) return 4
  return properties.reduce((sum, [key, part]) => sum + 3 + Math.ceil(key.length / 3) + frameLength(part), 2)
}

function shortened(value: unknown, factor: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shortened(item, factor))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => {
    if (key !== 'maxLength' || typeof part !== 'number') return [key, shortened(part, factor)]
    return [key, Math.max(Math.min(part, leastLength), Math.floor(part * factor))]
  })
  return Object.fromEntries(entries)
}

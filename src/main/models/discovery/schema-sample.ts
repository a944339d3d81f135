type Schema = Record<string, unknown>

/** Returns the simplest value that fits a JSON schema: the first of each choice, the least of each length. */
export function sampleSchema(schema: Schema, definitions: Schema = (schema.$defs ?? {}) as Schema): unknown {
  const sample = (part: unknown) => sampleSchema(part as Schema, definitions)
  if (typeof schema.$ref === 'string')
    return sample(definitions[schema.$ref.replace(/^#\/\$defs\//, '')] ?? {})
  if ('const' in schema) return schema.const
  const choices = schema.enum ?? schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return Array.isArray(schema.enum) ? choices[0] : sample(choices[0])
  switch (schema.type) {
    case 'object': {
      const required = (schema.required ?? []) as string[]
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
      const kept = properties.filter(([key]) => required.includes(key))
      return Object.fromEntries(kept.map(([key, part]) => [key, sample(part)]))
    }
    case 'array':
      return Array.from({ length: (schema.minItems as number | undefined) ?? 0 }, () =>
        sample(schema.items ?? {}),
      )
    case 'string':
      return 'a'.repeat(Math.max(1, (schema.minLength as number | undefined) ?? 0))
    case 'integer':
    case 'number':
      return Math.max(0, (schema.minimum as number | undefined) ?? 0)
    case 'boolean':
      return false
    default:
      return null
  }
}

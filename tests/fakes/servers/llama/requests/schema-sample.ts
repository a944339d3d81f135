export type Schema = Record<string, unknown>

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']

/** Why the server cannot convert the schema, in its words; null: it can. Keywords that it ignores are no problem. */
export function checkSchema(schema: unknown, root: unknown = schema): string | null {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'schema must be an object'
  const part = schema as Schema
  if (typeof part.$ref === 'string') return checkReference(part.$ref, root as Schema)
  const named = Array.isArray(part.type) ? part.type : [part.type ?? 'object']
  const unknown = named.find((type) => !types.includes(String(type)))
  if (unknown !== undefined) return `unrecognized type ${String(unknown)}`
  const inner = [
    ...Object.values((part.properties ?? {}) as Schema),
    ...((part.anyOf ?? part.oneOf ?? []) as unknown[]),
    ...(part.items === undefined ? [] : [part.items]),
  ]
  for (const value of inner) {
    const problem = checkSchema(value, root)
    if (problem !== null) return problem
  }
  return null
}

function checkReference(path: string, root: Schema): string | null {
  if (!path.startsWith('#')) {
    return `unsupported $ref ${path}, only references into the same document are supported`
  }
  let at: unknown = root
  for (const key of path.split('/').slice(1)) {
    at = (at as Schema)[key]
    if (at === undefined) return `cannot resolve $ref ${path}, ${key} not found`
  }
  return null
}

/** A value that the schema takes: the first of each choice, the least of each length; required keys come first. */
export function sampleOf(schema: Schema, root: Schema = schema): unknown {
  const sample = (part: unknown) => sampleOf(part as Schema, root)
  if (typeof schema.$ref === 'string') return sample(resolve(schema.$ref, root))
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as unknown[]
  if (choice !== undefined) return sample(choice)
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map((part) => sample(part)))
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type]
  switch (type) {
    case undefined:
    case 'object':
      return sampleObject(schema, sample)
    case 'array':
      return Array.from({ length: Number(schema.minItems ?? 0) }, () =>
        sample(schema.items ?? { type: 'string' }),
      )
    case 'string':
      return sampleString(schema)
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return false
    default:
      return null
  }
}

function sampleObject(schema: Schema, sample: (part: unknown) => unknown): unknown {
  const properties = (schema.properties ?? {}) as Record<string, unknown>
  const required = (schema.required ?? []) as string[]
  return Object.fromEntries(
    Object.keys(properties)
      .filter((key) => required.includes(key))
      .map((key) => [key, sample(properties[key])]),
  )
}

function sampleString(schema: Schema): string {
  const length = Math.max(1, Number(schema.minLength ?? 0))
  return 'a'.repeat(Math.min(length, Number(schema.maxLength ?? length)))
}

function sampleNumber(schema: Schema): number {
  const least = Number(schema.minimum ?? Number(schema.exclusiveMinimum ?? -1) + 1)
  const most = Number(schema.maximum ?? Number(schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - 1)
  return Math.min(Math.max(0, least), most)
}

function resolve(path: string, root: Schema): Schema {
  return path
    .split('/')
    .slice(1)
    .reduce<Schema>((at, key) => at[key] as Schema, root)
}

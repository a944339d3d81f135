import { z } from 'zod'
import { coreTools, type ToolName } from '../../shared/domain/session/tool-name.ts'
import type { ToolDeclaration } from '../models/client/model-client.ts'
import type { Tool } from './defining/tool.ts'
import type { ToolWords } from './defining/tool-words.ts'
import { allTools } from './definitions/all-tools.ts'

export type JsonSchema = Record<string, unknown>

/** The schema of a tool's arguments, without words. Shape: keys in the tool's own order. */
export function argsSchema(tool: Tool): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.args, { io: 'input' })
  return schema
}

/**
 * Returns the declarations of these tools, sorted by name; calls of the `checked` ones say what they conflict with.
 * They are short, since every prompt has them: bounds are left out where a call beyond them is refused, or cut to them.
 */
export function declareTools(
  words: ToolWords,
  names: readonly ToolName[] = coreTools,
  checked: readonly ToolName[] = [],
): ToolDeclaration[] {
  return [...names].sort().map((name) => {
    const parameters = described(argsSchema(allTools[name]), words.tools[name].parameters)
    return {
      name,
      description: words.tools[name].description,
      parameters: checked.includes(name) ? withConflicts(parameters, words) : parameters,
    }
  })
}

/** Adds the argument `conflicts`, in which a call says what it breaks of goal and constraints. */
function withConflicts(parameters: JsonSchema, words: ToolWords): JsonSchema {
  const conflicts = { type: 'string', description: words.results['check.conflicts'] }
  return {
    ...parameters,
    properties: { ...(parameters.properties as JsonSchema), conflicts },
    required: [...(parameters.required as string[]), 'conflicts'],
  }
}

/** The arguments of a tool in one line: `read_file {path: string, from?: integer, to?: integer}`. */
export function schemaLine(tool: Tool): string {
  return `${tool.name} ${typeText(short(argsSchema(tool)) as JsonSchema)}`
}

function typeText(schema: JsonSchema): string {
  const { type, properties, items, required = [] } = schema
  if (Array.isArray(schema.enum)) return schema.enum.join(' | ')
  if (type === 'array') return `[${typeText((items ?? {}) as JsonSchema)}, …]`
  if (type !== 'object') return String(type ?? 'any')
  const parts = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, part]) => `${name}${(required as string[]).includes(name) ? '' : '?'}: ${typeText(part)}`,
  )
  return `{${parts.join(', ')}}`
}

/** The paths that `parameters` of `tool-words.json` must name; those inside of lists are joined with dots. */
export function parameterPaths(tool: Tool): string[] {
  const paths: string[] = []
  visit(argsSchema(tool), '', (path) => void paths.push(path))
  return paths
}

/** Schema keywords that models do not need to make a call. Lists keep their bounds, since models get those wrong. */
const untold = ['additionalProperties', 'minLength', 'maxLength', 'minimum', 'maximum']

function described(schema: JsonSchema, words: Readonly<Record<string, string>>): JsonSchema {
  const copy = short(schema) as JsonSchema
  visit(copy, '', (at, part) => {
    const description = words[at]
    if (description === undefined) throw new Error(`tool-words: no words for the parameter ${at}`)
    if (description !== '') part.description = description
  })
  return copy
}

function short(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(short)
  if (typeof value !== 'object' || value === null) return value
  const { properties, anyOf, ...rest } = value as JsonSchema
  // Null is not declared: an argument that may be null can be left out instead.
  if (Array.isArray(anyOf)) return short({ ...rest, ...anyOf.find(({ type }) => type !== 'null') })
  const kept = Object.entries(rest).filter(([key]) => !untold.includes(key))
  const named = Object.entries((properties ?? {}) as JsonSchema).map(([name, part]) => [name, short(part)])
  return {
    ...Object.fromEntries(kept.map(([key, part]) => [key, short(part)])),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(named) }),
  }
}

function visit(schema: JsonSchema, path: string, see: (path: string, part: JsonSchema) => void): void {
  if (schema.type === 'array') visit(schema.items as JsonSchema, path, see)
  for (const [key, part] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    const at = path === '' ? key : `${path}.${key}`
    see(at, part)
    visit(part, at, see)
  }
}

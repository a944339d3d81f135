import { allTools } from '../../src/main/tools/definitions/all-tools.ts'
import { argsSchema, type JsonSchema } from '../../src/main/tools/tool-schema.ts'
import { type PathKind, type ToolName, toolTraits } from '../../src/shared/domain/session/tool-name.ts'

export type ToolCall = [name: ToolName, args: Record<string, unknown>]

/** Arguments that name a place, by the tool's row. */
export function placesOf(name: ToolName): [place: string, kind: PathKind][] {
  return Object.entries(toolTraits[name].paths)
}

/** Texts for arguments that need a special value. */
const texts: Readonly<Record<string, string>> = {
  line: 'ls',
  pattern: 'SENTINEL|mine',
  old_text: 'mine',
  new_text: 'changed',
  url: 'https://example.com/',
}
const places: Readonly<Record<PathKind, string>> = {
  file: 'mine.txt',
  known: 'mine.txt',
  target: 'taken.txt',
  folder: 'sub',
  any: 'sub',
  glob: '**',
}

/** Arguments that `name` accepts: every one that it needs, and those of `given`. */
export function callArgs(
  name: ToolName,
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { properties = {}, required = [] } = argsSchema(allTools[name]) as Shape
  const kinds = toolTraits[name].paths
  const args: Record<string, unknown> = {}
  for (const key of required) {
    const kind = kinds[key]
    args[key] = kind === undefined ? sampleOf(properties[key] ?? {}, key) : places[kind]
  }
  return { ...args, ...given }
}

type Shape = { properties?: Record<string, JsonSchema>; required?: string[] }

/** Any value of this schema, or the text for the argument `name`. */
function sampleOf(schema: JsonSchema, name = ''): unknown {
  if (texts[name] !== undefined) return texts[name]
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Array.isArray(schema.anyOf)) return sampleOf(schema.anyOf[0])
  if (schema.type === 'string') return 'because'
  if (schema.type === 'boolean') return false
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0
  if (schema.type === 'array') return [sampleOf(schema.items as JsonSchema)]
  const { properties = {}, required = [] } = schema as Shape
  return Object.fromEntries(required.map((key) => [key, sampleOf(properties[key] ?? {}, key)]))
}

/** The names of all arguments that are texts, also those that may be left out. */
export function textArgs(name: ToolName): string[] {
  const { properties = {} } = argsSchema(allTools[name]) as Shape
  return Object.entries(properties).flatMap(([key, schema]) =>
    schema.type === 'string' && schema.enum === undefined ? [key] : [],
  )
}

import type { ToolDeclaration } from '../../../models/client/model-client.ts'
import type { PromptEntry } from './prompt-entry.ts'

type Schema = Record<string, unknown>
type Calls = NonNullable<PromptEntry['calls']>

/** Returns the tools as text, one per line, for models without native calls. */
export function toolsText(tools: readonly ToolDeclaration[]): string {
  return tools
    .map((tool) => `- ${tool.name}: ${tool.description} ${argumentsText(tool.parameters)}`)
    .join('\n')
}

function argumentsText(schema: Schema): string {
  const required = new Set((schema.required as string[] | undefined) ?? [])
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const named = properties.map(([key, part]) => {
    const words = typeof part.description === 'string' ? ` (${part.description})` : ''
    return `"${key}"${required.has(key) ? '' : '?'}: ${typeText(part)}${words}`
  })
  return `{${named.join(', ')}}`
}

function typeText(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return options.map((option) => typeText(option as Schema)).join(' | ')
  if (schema.type === 'array') return `[${typeText((schema.items ?? {}) as Schema)}, …]`
  if (schema.type === 'object') return argumentsText(schema)
  return String(schema.type ?? 'any')
}

/** Returns calls as a model without native calls writes them, in the form of `toolbox.callSchema()`. */
export function callsText(calls: Calls): string {
  const each = calls.map(({ name, args }) => `{"tool":${JSON.stringify(name)},"args":${args}}`)
  return `{"calls":[${each.join(',')}]}`
}

import { z } from 'zod'
import { AgentDecision } from '../../../shared/domain/session/agent-decision.ts'

type JsonSchema = Record<string, unknown>

/**
 * The JSON schema that a backend constrains a decision to.
 *
 * Shape: without `$schema`, every key required and nothing else allowed, as the strictest backends want it.
 */
export const decisionSchema: JsonSchema = withoutDialect(z.toJSONSchema(AgentDecision))

/** The texts of a schema's free fields, as the prompt's example shows them; a path joins keys with dots. */
export const DecisionWords = z.record(z.string(), z.string().min(1))
export type DecisionWords = z.infer<typeof DecisionWords>

/**
 * Returns the example of a decision for the model's prompt, made from the schema: on one line, as the grammar has it;
 * choices are listed, free texts come from `words` (`resources/prompts/<lang>/decision-words.json`).
 *
 * Errors: throws where a free text has no words, so that a new field cannot be forgotten.
 */
export function decisionExample(words: DecisionWords): string {
  return JSON.stringify(example(decisionSchema, '', words))
}

function example(schema: JsonSchema, path: string, words: DecisionWords): unknown {
  if (Array.isArray(schema.enum)) return schema.enum.join(' / ')
  if (Array.isArray(schema.anyOf)) {
    const filled = schema.anyOf.find((option: JsonSchema) => option.type !== 'null') as JsonSchema
    return example(filled, path, words)
  }
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties as Record<string, JsonSchema>)
    return Object.fromEntries(
      properties.map(([key, part]) => [key, example(part, path === '' ? key : `${path}.${key}`, words)]),
    )
  }
  if (schema.type === 'array') return [example(schema.items as JsonSchema, path, words)]
  const text = words[path]
  if (text === undefined) throw new Error(`decision-words: no words for ${path}`)
  return text
}

function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

type Schema = Record<string, unknown>

/** Length below which no text is shortened. Units: characters. */
const leastLength = 12

/**
 * Returns the schema with texts so short that even the longest answer ends within `maxTokens`: the grammar stops a
 * small model that cannot stop by itself, and the answer is whole.
 *
 * Shape: lengths keep their proportions, and none goes below 12 characters. The validator's limits stay.
 * Units: `perCharacter` in tokens; a vocabulary that falls back to bytes needs up to 4.
 */
export function shortSchema(schema: Schema, maxTokens: number, perCharacter: number): Schema {
  const texts = longestTexts(schema)
  const frame = frameLength(schema) * Math.min(1, perCharacter)
  const factor = Math.min(1, Math.max(0, maxTokens - frame) / Math.max(1, texts * perCharacter))
  return factor === 1 ? schema : (shortened(schema, factor) as Schema)
}

/** Returns the greatest length of all free texts together: each list full, each choice the longest. */
function longestTexts(schema: Schema): number {
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return Math.max(...options.map((option) => longestTexts(option as Schema)))
  if (schema.type === 'string' && typeof schema.maxLength === 'number') return schema.maxLength
  if (schema.type === 'array' && typeof schema.maxItems === 'number')
    return schema.maxItems * longestTexts((schema.items ?? {}) as Schema)
  const properties = Object.values((schema.properties ?? {}) as Record<string, Schema>)
  return properties.reduce((sum, part) => sum + longestTexts(part), 0)
}

/** Returns the greatest length of all but the free texts: keys, choices, punctuation. Units: characters. */
function frameLength(schema: Schema): number {
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return Math.max(...options.map((option) => frameLength(option as Schema)))
  if ('const' in schema) return JSON.stringify(schema.const).length
  if (Array.isArray(schema.enum)) return Math.max(...schema.enum.map((value) => JSON.stringify(value).length))
  if (schema.type === 'array')
    return (
      2 + ((schema.maxItems as number | undefined) ?? 1) * (1 + frameLength((schema.items ?? {}) as Schema))
    )
  if (schema.type !== 'object') return 4
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return properties.reduce((sum, [key, part]) => sum + key.length + 4 + frameLength(part), 2)
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

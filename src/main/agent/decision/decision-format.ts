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
 * The example of a decision for Main's prompt, made from the schema: on one line, as the grammar has it; choices
 * are listed, free texts come from `words` (`resources/prompts/<lang>/decision-words.json`).
 *
 * Errors: throws where a free text has no words, so that a new field cannot be forgotten.
 */
export function decisionExample(words: DecisionWords): string {
  return JSON.stringify(example(decisionSchema, '', words))
}

/** The paths that `DecisionWords` must name. */
export function decisionTextPaths(): string[] {
  const paths: string[] = []
  const seen = new Proxy({} as DecisionWords, {
    get: (_, path) => {
      paths.push(String(path))
      return path
    },
  })
  example(decisionSchema, '', seen)
  return paths
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

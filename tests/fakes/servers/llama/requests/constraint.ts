import { sampleGrammar } from '../../gbnf-sample.ts'
import { seededRandom } from '../../kobold/fake-model.ts'
import { Refusal } from '../refusal.ts'
import { checkSchema, type Schema, sampleOf } from './schema-sample.ts'

/** A constraint on the output, and a text that satisfies it. */
export type Constraint = { schema: Schema | null; sample: (seed: number) => string }

const noGrammar = new Refusal(400, 'Failed to initialize samplers: failed to parse grammar')

/** A GBNF grammar; null for what the server silently ignores: "" and anything but a string. */
export function grammarConstraint(grammar: unknown): Constraint | null {
  if (typeof grammar !== 'string' || grammar === '') return null
  const sample = (seed: number) => sampleGrammar(grammar, seededRandom(seed))
  if (sample(1) === null) throw noGrammar
  return { schema: null, sample: (seed) => sample(seed) ?? '' }
}

/** Errors: `Refusal` whose message begins with `prefix` for a schema that the server cannot convert. */
export function schemaConstraint(schema: unknown, prefix: string): Constraint {
  const problem = checkSchema(schema)
  if (problem !== null) throw new Refusal(400, `${prefix}JSON schema error at #: ${problem}`)
  const known = schema as Schema
  return { schema: known, sample: () => JSON.stringify(sampleOf(known)) }
}

/** The chat's `response_format`; null for none, for `text` and for a string, which the server ignores. */
export function formatConstraint(format: unknown): Constraint | null {
  if (typeof format !== 'object' || format === null) return null
  const { type, schema, json_schema: wrapped } = format as Record<string, unknown>
  const prefix = 'Unable to generate parser for this template. Automatic parser generation failed: '
  switch (type) {
    case undefined:
    case 'text':
      return null
    case 'json_object':
      return schemaConstraint(schema ?? {}, prefix)
    case 'json_schema':
      return schemaConstraint((wrapped as { schema?: unknown } | undefined)?.schema ?? {}, prefix)
    default:
      throw new Refusal(
        400,
        `response_format type must be one of "text" or "json_object", but got: ${String(type)}`,
      )
  }
}

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sampleGrammar } from '../../../../tests/fakes/servers/gbnf-sample.ts'
import { isAppError } from '../../../shared/errors.ts'
import { sampleSchema } from '../discovery/schema-sample.ts'
import { grammarOf, integerRange } from './json-schema-grammar.ts'

const decision = z.object({
  tool: z.enum(['read', 'write "file"']),
  reason: z.string().max(40),
  steps: z
    .array(z.object({ line: z.int(), weight: z.number() }))
    .min(1)
    .max(3),
  note: z.string().optional(),
  done: z.boolean(),
  next: z.union([z.literal('stop'), z.null()]),
})

/** Returns a random function that takes a different path through the grammar for each seed. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('grammarOf', () => {
  it('lets only values through that zod takes, in the order of the schema and without spaces', () => {
    const grammar = grammarOf(z.toJSONSchema(decision))
    for (let seed = 1; seed <= 60; seed += 1) {
      const text = sampleGrammar(grammar, randomFrom(seed)) ?? 'no text'
      const value = decision.parse(JSON.parse(text))
      const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
      expect(withoutStrings).not.toMatch(/\s/)
      expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(value))
    }
  })

  it('begins well where the first members may be missing', () => {
    const loose = z.object({ a: z.int().optional(), b: z.int().optional(), c: z.boolean() })
    const grammar = grammarOf(z.toJSONSchema(loose))
    const seen = new Set<string>()
    for (let seed = 1; seed <= 80; seed += 1) {
      const value = loose.parse(JSON.parse(sampleGrammar(grammar, randomFrom(seed)) ?? ''))
      seen.add(Object.keys(value).join())
    }
    expect([...seen].sort()).toEqual(['a,b,c', 'a,c', 'b,c', 'c'])
  })

  it('refuses a keyword that it would have to ignore', () => {
    const refused = [
      z.string().regex(/^a+$/),
      z.number().multipleOf(3),
      z.record(z.string(), z.int()).and(z.any()),
    ]
    for (const schema of refused) {
      expect(() => grammarOf(z.toJSONSchema(schema))).toSatisfy((run) => {
        try {
          run()
        } catch (error) {
          return isAppError(error, 'model/bad-request')
        }
        return false
      })
    }
  })

  it('has a simplest value that the schema takes', () => {
    expect(decision.safeParse(sampleSchema(z.toJSONSchema(decision))).success).toBe(true)
  })
})

/** Converts a GBNF expression of these parts to a regular expression. */
function asPattern(expression: string): RegExp {
  return new RegExp(`^(?:${expression.replace(/"(\d*)"/g, '$1').replaceAll(' ', '')})$`)
}

describe('integerRange', () => {
  it.each([
    [0, 9],
    [1, 20],
    [0, 0],
    [1, 600],
    [7, 1234],
    [99, 101],
    [0, 999],
  ])('takes %i to %i and nothing else', (min, max) => {
    const pattern = asPattern(integerRange(min, max))
    for (let value = 0; value <= max + 50; value++) {
      expect(pattern.test(String(value)), String(value)).toBe(value >= min && value <= max)
    }
    for (const bad of ['', '-1', '01', '00', `${max}0`]) expect(pattern.test(bad), bad).toBe(false)
  })

  it('stays short', () => {
    expect(integerRange(1, 9_999_999).length).toBeLessThan(140)
    expect(integerRange(1, 600)).toBe('([1-9] | [1-9] [0-9] | [1-5] [0-9]{2} | "600")')
  })
})

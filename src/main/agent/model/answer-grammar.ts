import type { Constraint, ModelClient } from '../../models/client/model-client.ts'
import { grammarOf } from '../../models/embedded/json-schema-grammar.ts'

const anyEscape = String.raw`"\\" (["\\/bfnrt] | "u" hex hex hex hex)`
const quotes = String.raw`"\\" ["\\]`

/**
 * What a character of a text is. To a grammar a control token is the text of its name: `<|im_start|>` would be
 * some letters and signs, and end the answer. So no `|` follows `<` in texts of any length; short ones (a unit
 * is one of UTF-16) are without `<`, those of one line without `[` as well. Escapes can say it all.
 */
const characters = {
  any: {
    char: String.raw`[^<"\\\x00-\x1F] | escape | "<" "<"? "<"? ([^<|"\\\x00-\x1F] | escape)`,
    unit: String.raw`[^<"\\\x00-\x1F\U00010000-\U0010FFFF] | escape`,
    escape: anyEscape,
  },
  oneLine: {
    char: String.raw`[^<["\\\x00-\x1F\x7F] | escape`,
    unit: String.raw`[^<["\\\x00-\x1F\x7F\U00010000-\U0010FFFF] | escape`,
    escape: quotes,
  },
}

/** A schema as GBNF: keys in order, no free white space, no control tokens in texts. */
export function answerGrammar(schema: Record<string, unknown>, isOneLine = false): string {
  const rules = isOneLine ? characters.oneLine : characters.any
  const grammar = grammarOf(schema).replace(/^(char|unit) ::= .*$/gm, (_, name: 'char' | 'unit') => {
    return `${name} ::= ${rules[name]}`
  })
  return `${grammar}\nescape ::= ${rules.escape}`
}

/**
 * A schema as this client takes it; undefined where it can only be asked for. As our own grammar where there are
 * no native tools: chats with tools take no grammar.
 */
export function constraintFor(
  { capabilities: { constraints, hasTools } }: ModelClient,
  schema: Record<string, unknown>,
  { isOneLine = false } = {},
): Constraint | undefined {
  if (constraints.includes('gbnf') && (!hasTools || !constraints.includes('json-schema')))
    return { kind: 'gbnf', grammar: answerGrammar(schema, isOneLine) }
  return constraints.includes('json-schema') ? { kind: 'json-schema', schema } : undefined
}

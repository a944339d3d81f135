import type { Constraint, ModelClient } from '../../models/client/model-client.ts'
import { grammarOf } from '../../models/completion/json-schema-grammar.ts'

const anyEscape = String.raw`"\\" (["\\/bfnrt] | "u" hex hex hex hex)`
const quotes = String.raw`"\\" ["\\]`

/**
 * Grammar rules for a character of a text. A grammar sees a control token as the text of its name: `<|im_start|>`
 * would pass as letters and signs, and end the answer. So no `|` follows `<` in texts of any length; short ones (a
 * unit is one of UTF-16) have no `<`, those of one line no `[` either. Escapes can express these characters.
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

/** Returns a schema as GBNF: keys in order, no free white space, no control tokens in texts. */
export function answerGrammar(schema: Record<string, unknown>, isOneLine = false): string {
  const rules = isOneLine ? characters.oneLine : characters.any
  const grammar = grammarOf(schema).replace(/^(char|unit) ::= .*$/gm, (_, name: 'char' | 'unit') => {
    return `${name} ::= ${rules[name]}`
  })
  return `${grammar}\nescape ::= ${rules.escape}`
}

/**
 * Returns a schema as a constraint that this client accepts; undefined where only the prompt can ask for it. Prefers
 * our own grammar where there are no native tools: chats with tools accept no grammar.
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

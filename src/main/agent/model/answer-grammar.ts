import { grammarOf } from '../../models/json-schema-grammar.ts'
import type { Constraint, ModelClient } from '../../models/model-client.ts'

/**
 * A grammar sees a control token as the text of its name: in a free text `<|im_start|>` would be six letters and
 * some signs, and end the answer. So no `|` follows `<` there; JSON can still say it as `\\u003c|`.
 */
const anyText = String.raw`[^"\\<\x00-\x1F] | escape | "<" "<"? "<"? ([^"\\<|\x00-\x1F] | escape)
escape ::= "\\" (["\\/bfnrt] | "u" hex hex hex hex)`

/** The same for texts of one line, which have nothing to escape but quotes, and no use for tags. */
const oneLine = String.raw`[^"\\<[\x00-\x1F\x7F] | escape | "<" ([^"\\<|a-z/\x00-\x1F] | escape) | "[" ([^"\\<[A-Z/\x00-\x1F] | escape)
escape ::= "\\" ["\\]`

/** A schema as GBNF: keys in order, no free white space, no control tokens in texts. */
export function answerGrammar(schema: Record<string, unknown>, isOneLine = false): string {
  const rule = isOneLine ? oneLine : anyText
  return grammarOf(schema).replace(/^char ::= .*$/m, () => `char ::= ${rule}`)
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

import { AppError } from '../../../shared/errors.ts'
import type { Constraint } from '../client/model-client.ts'

type Schema = Record<string, unknown>

const basicRules: Record<string, string> = {
  string: String.raw`"\"" char* "\""`,
  char: String.raw`[^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)`,
  // One UTF-16 unit, as zod and JavaScript count a length: a grammar counts whole characters.
  unit: String.raw`[^"\\\x00-\x1F\U00010000-\U0010FFFF] | "\\" (["\\/bfnrt] | "u" hex hex hex hex)`,
  hex: '[0-9a-fA-F]',
  integer: '"0" | "-"? [1-9] [0-9]{0,14}',
  number: '"-"? ("0" | [1-9] [0-9]{0,14}) ("." [0-9]{1,15})?',
  boolean: '"true" | "false"',
  null: '"null"',
}
const neededBy: Record<string, string[]> = { string: ['char', 'hex'], char: ['hex'], unit: ['hex'] }

/**
 * Turns a JSON schema (as zod writes it) into GBNF: keys in the schema's order, no free white space, so that
 * a small model cannot lose itself in spaces or leave a required key out.
 *
 * Shape: object (all properties, nothing else), array, string with lengths, integer (from 0 on also with bounds),
 * number, boolean, null, enum, const, anyOf/oneOf, local `$ref`. Optional properties may be left out, in order.
 * Errors: `model/bad-request` for anything else: a keyword that is ignored silently would promise too much.
 */
export function grammarOf(schema: Schema): string {
  const rules = new Map<string, string>()
  const definitions = (schema.$defs ?? {}) as Record<string, Schema>
  let count = 0

  const basic = (name: string): string => {
    rules.set(name, basicRules[name] ?? '')
    for (const other of neededBy[name] ?? []) basic(other)
    return name
  }
  const named = (body: string): string => {
    count += 1
    rules.set(`r${count}`, body)
    return `r${count}`
  }

  const expression = (part: Schema): string => {
    if (typeof part.$ref === 'string') return reference(part.$ref)
    if ('const' in part) return literal(JSON.stringify(part.const))
    if (Array.isArray(part.enum)) return choice(part.enum.map((value) => literal(JSON.stringify(value))))
    const options = part.anyOf ?? part.oneOf
    if (Array.isArray(options)) return choice(options.map((option) => expression(option as Schema)))
    if (Array.isArray(part.type)) return choice(part.type.map((type) => expression({ ...part, type })))
    return ofType(part)
  }
  const ofType = (part: Schema): string => {
    switch (part.type) {
      case 'object':
        return objectRule(part)
      case 'array':
        return arrayRule(part)
      case 'string':
        refuse(part, ['pattern', 'format'])
        return stringRule(part)
      case 'integer':
      case 'number':
        refuse(part, ['multipleOf'])
        return isCountable(part) ? integerRange(part.minimum, part.maximum) : basic(part.type)
      case 'boolean':
      case 'null':
        return basic(part.type)
      default:
        throw unsupported(`type ${JSON.stringify(part.type)}`)
    }
  }
  const stringRule = (part: Schema): string => {
    const range = repetition(part.minLength, part.maxLength)
    if (range === '*') return basic('string')
    const item = basic(typeof part.maxLength === 'number' ? 'unit' : 'char')
    return named(`"\\"" ${item}${range} "\\""`)
  }
  const arrayRule = (part: Schema): string => {
    const item = expression((part.items ?? {}) as Schema)
    const min = typeof part.minItems === 'number' ? part.minItems : 0
    const max = typeof part.maxItems === 'number' ? part.maxItems : undefined
    if (max === 0) return '"[]"'
    const more = repetition(Math.max(0, min - 1), max === undefined ? undefined : max - 1)
    const filled = `${item} ("," ${item})${more}`
    return named(min > 0 ? `"[" ${filled} "]"` : `"[" (${filled})? "]"`)
  }
  const objectRule = (part: Schema): string => {
    const properties = Object.entries((part.properties ?? {}) as Record<string, Schema>)
    const required = new Set((part.required as string[] | undefined) ?? [])
    const pairs = properties.map(([key, value]) => ({
      rule: `${literal(`${JSON.stringify(key)}:`)} ${expression(value)}`,
      isRequired: required.has(key),
    }))
    return named(`"{" ${members(pairs, named)} "}"`)
  }
  const reference = (path: string): string => {
    if (path === '#') return 'root'
    const name = path.replace(/^#\/\$defs\//, '')
    const target = definitions[name]
    if (target === undefined) throw unsupported(`$ref ${path}`)
    const rule = `def-${name.replace(/[^a-zA-Z0-9]/g, '-')}`
    if (!rules.has(rule)) {
      rules.set(rule, '')
      rules.set(rule, expression(target))
    }
    return rule
  }

  const root = expression(schema)
  return [`root ::= ${root}`, ...[...rules].map(([name, body]) => `${name} ::= ${body}`)].join('\n')
}

/** Returns the grammar of a constraint; empty for none. */
export function gbnfOf(constraint: Constraint | undefined): string {
  if (constraint === undefined) return ''
  return constraint.kind === 'gbnf' ? constraint.grammar : grammarOf(constraint.schema)
}

/** Returns a rule for members in order, with a comma before each except the first that is present. */
function members(pairs: { rule: string; isRequired: boolean }[], named: (body: string) => string): string {
  const [first, ...rest] = pairs
  if (first === undefined) return '""'
  const after = rest.map((pair) => (pair.isRequired ? `"," ${pair.rule}` : `("," ${pair.rule})?`)).join(' ')
  const withFirst = `${first.rule} ${after}`.trim()
  if (first.isRequired) return withFirst
  return `(${withFirst} | ${named(members(rest, named))})`
}

function repetition(min: unknown, max: unknown): string {
  const from = typeof min === 'number' ? min : 0
  if (typeof max === 'number') return `{${from},${max}}`
  return from === 0 ? '*' : `{${from},}`
}

function choice(options: string[]): string {
  return `(${options.join(' | ')})`
}

/** True where bounds are worth a rule: zod gives every integer the bounds of a double, which limit nothing. */
function isCountable(part: Schema): part is { minimum: number; maximum: number } {
  const { type, minimum, maximum } = part
  if (type !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number') return false
  return minimum >= 0 && maximum < 1e12
}

function literal(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}

function refuse(part: Schema, keywords: string[]): void {
  const found = keywords.find((keyword) => keyword in part)
  if (found !== undefined) throw unsupported(found)
}

function unsupported(what: string): AppError {
  return new AppError({ code: 'model/bad-request', reason: `schema: ${what} has no grammar` })
}

/**
 * Returns a GBNF expression for the whole numbers from `min` to `max`, both not negative, without leading zeros.
 *
 * Shape: one alternative for each range of numbers that differ only in their last digits.
 */
export function integerRange(min: number, max: number): string {
  const options: string[] = []
  for (let from = min; from <= max; ) {
    const to = stretchEnd(from, max)
    options.push(stretch(String(from), String(to)))
    from = to + 1
  }
  return options.length === 1 ? (options[0] ?? '') : `(${options.join(' | ')})`
}

/** Returns the end of the longest range from `from` in which one digit varies and all digits after it are free. */
function stretchEnd(from: number, max: number): number {
  const digits = String(from)
  for (let free = digits.length - 1; free >= 0; free--) {
    const unit = 10 ** free
    if (from % unit !== 0) continue
    const last = Math.floor(from / unit / 10) * 10 + 9
    for (let top = last; top * unit >= from; top--) {
      const to = top * unit + unit - 1
      const isSameLength = String(to).length === digits.length
      if (to <= max && isSameLength) return to
    }
  }
  return from
}

function stretch(from: string, to: string): string {
  let same = 0
  while (same < from.length && from[same] === to[same]) same++
  const head = same > 0 ? `"${from.slice(0, same)}"` : ''
  if (same === from.length) return head
  const digit = `[${from[same]}-${to[same]}]`
  const free = from.length - same - 1
  const rest = free === 0 ? '' : free === 1 ? '[0-9]' : `[0-9]{${free}}`
  return [head, digit, rest].filter((part) => part !== '').join(' ')
}

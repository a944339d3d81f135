import type { CommandRule } from './command-rule.ts'
import { type GivenWords, isRefusal, type Refusal, readOptions } from './read-options.ts'
import type { Word } from './shell-word.ts'

/** What a command that only reads looks at. Shape: a path is a word of the line, or text found inside one. */
export type CommandReads = { paths: (Word | string)[]; isDeep: boolean; followsLinks: boolean }

/** A command's reading, with the words that it was taken from for rules that look closer. */
export type RuledWords = CommandReads & GivenWords

/** Checks the words after a command's name against its rule. */
export function ruledWords(rule: CommandRule, words: readonly Word[]): RuledWords | Refusal {
  if (rule.operands === 'anything') {
    const unknown = rule.openWords ? undefined : words.find((word) => word.value === null)
    if (unknown !== undefined) return { reason: 'expansion', about: unknown.raw }
    return { options: [], operands: [...words], paths: [], isDeep: false, followsLinks: false }
  }
  const given = readOptions(rule, words)
  if (isRefusal(given)) return given
  return operandRefusal(rule, given) ?? readsOf(rule, given, words)
}

function operandRefusal(rule: CommandRule, { options, operands }: GivenWords): Refusal | null {
  const has = (names: ReadonlySet<string>) => names.size === 0 || options.some(({ name }) => names.has(name))
  const first = operands[0]
  const refused =
    (first === undefined && rule.needsOperand) ||
    (first !== undefined && rule.operands === 'none') ||
    operands.length > (rule.maxOperands ?? Number.POSITIVE_INFINITY) ||
    (first !== undefined && rule.firstOperand.size > 0 && !rule.firstOperand.has(first.value ?? '')) ||
    (first !== undefined && !has(rule.operandsNeed)) ||
    (rule.operandsNeed.size > 0 && operands.some(({ value }) => value?.startsWith('-'))) ||
    !has(rule.needs)
  return refused ? { reason: 'operand', about: operands.at(-1)?.raw ?? '' } : null
}

function readsOf(rule: CommandRule, given: GivenWords, words: readonly Word[]): RuledWords {
  const { options, operands } = given
  const isGiven = (names: ReadonlySet<string>) => options.some(({ name }) => names.has(name))
  const paths = [...given.paths]
  if (rule.operands === 'paths') paths.push(...operands)
  if (rule.operands === 'textThenPaths') {
    paths.push(...operands.slice(isGiven(rule.patternOptions) ? 0 : 1))
  }
  if (
    paths.length === 0 &&
    rule.implied !== undefined &&
    (rule.impliedWith.size === 0 || isGiven(rule.impliedWith))
  ) {
    paths.push(rule.implied)
  }
  // Unquoted, a pattern that must be expanded may become a path as well.
  if (rule.operands !== 'text')
    paths.push(...words.filter((word) => word.value === null && !paths.includes(word)))
  return {
    ...given,
    paths: paths.filter((path) => (typeof path === 'string' ? path : path.value) !== '-'),
    isDeep: rule.isDeep || isGiven(rule.deepWith),
    followsLinks: isGiven(rule.linksWith),
  }
}

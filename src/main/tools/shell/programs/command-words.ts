import type { CommandRule } from '../command-rule.ts'
import type { Word } from '../parsing/shell-word.ts'
import { type GivenWords, isRefusal, type Refusal, readOptions } from './read-options.ts'

/** The files that a read-only command reads. Shape: a path is a word of the line, or text found inside one. */
export type CommandReads = {
  paths: (Word | string)[]
  isDeep: boolean
  followsLinks: boolean
  /** For `find -exec`: other files or folders that its command reads; whether it reads these whole, and found files. */
  innerPaths?: (Word | string)[]
  isInnerDeep?: boolean
  readsFound?: boolean
  /** As in `PathOperand`; absent: all, true, false, all, false. */
  hidden?: readonly string[] | null
  readsIgnored?: boolean
  readsLinks?: boolean
  named?: readonly string[] | null
  skipsBinary?: boolean
}

/** The reads of a command, and its sorted words for checks in code. */
export type RuledWords = CommandReads & GivenWords

/** Checks the words after a command's name against its rule. */
export function ruledWords(rule: CommandRule, words: readonly Word[]): RuledWords | Refusal {
  if (rule.operands === 'anything') {
    const unknown = rule.openWords ? undefined : words.find((word) => word.value === null)
    if (unknown !== undefined) return { reason: 'expansion', about: unknown.raw }
    const paths = words.filter(hasPattern)
    return { options: [], operands: [...words], paths, isDeep: false, followsLinks: false }
  }
  const [first, ...others] = words
  // Where the subcommand is not the first word, another version of the program may read the first word as one.
  const hasWord = first !== undefined && first.raw === first.value && rule.firstOperand.has(first.raw)
  const given = readOptions(rule, hasWord ? others : words)
  if (isRefusal(given)) return given
  const isMisplaced = !hasWord && (rule.needsOperand || given.operands.length > 0)
  if (rule.firstOperand.size > 0 && isMisplaced) return { reason: 'operand', about: first?.raw ?? '' }
  return operandRefusal(rule, given) ?? readsOf(rule, given, words)
}

function operandRefusal(rule: CommandRule, { options, operands }: GivenWords): Refusal | null {
  const has = (names: ReadonlySet<string>) =>
    names.size === 0 || options.some(({ name, mayBeValue }) => names.has(name) && !mayBeValue)
  const first = operands[0]
  const refused =
    (first === undefined && rule.needsOperand && rule.firstOperand.size === 0) ||
    (first !== undefined && rule.operands === 'none') ||
    (rule.operands === 'names' && operands.some(({ value }) => /[/\\]/.test(value ?? '/'))) ||
    operands.length > (rule.maxOperands ?? Number.POSITIVE_INFINITY) ||
    (first !== undefined && !has(rule.operandsNeed)) ||
    (rule.operandsNeed.size > 0 && operands.some(({ value }) => value?.startsWith('-'))) ||
    !has(rule.needs)
  return refused ? { reason: 'operand', about: operands.at(-1)?.raw ?? '' } : null
}

/** True for a pattern: the shell reads folders to expand it, whatever the command does with the names. */
function hasPattern({ hazards }: Word): boolean {
  return hazards.includes('glob')
}

function readsOf(rule: CommandRule, given: GivenWords, words: readonly Word[]): RuledWords {
  const { options, operands } = given
  const isGiven = (names: ReadonlySet<string>) => options.some(({ name }) => names.has(name))
  const paths = [...given.paths]
  if (rule.operands === 'paths') paths.push(...operands)
  if (rule.operands === 'textThenPaths') paths.push(...operands.slice(isGiven(rule.patternOptions) ? 0 : 1))
  if (
    paths.length === 0 &&
    rule.implied !== undefined &&
    (rule.impliedWith.size === 0 || isGiven(rule.impliedWith))
  ) {
    paths.push(rule.implied)
  }
  // An unquoted pattern that must be expanded may become a path as well.
  const mayBePath = (word: Word): boolean => !/^(?:text|names)$/.test(rule.operands) || hasPattern(word)
  paths.push(...words.filter((word) => word.value === null && mayBePath(word) && !paths.includes(word)))
  return {
    ...given,
    paths: paths.filter((path) => (typeof path === 'string' ? path : path.value) !== '-'),
    isDeep: rule.isDeep || isGiven(rule.deepWith),
    followsLinks: isGiven(rule.linksWith),
    hidden: rule.hiddenWith.size === 0 || isGiven(rule.hiddenWith) ? null : globsOf(rule, given),
    readsIgnored: rule.hiddenWith.size === 0 || isGiven(rule.ignoredWith),
    readsLinks: rule.readsLinks,
    skipsBinary: rule.skipsBinary && !isGiven(rule.binaryWith),
    named: isGiven(rule.nameSpoilers) ? null : plainNames(valuesOf(given, rule.nameOptions)),
  }
}

/** Returns patterns that every program understands alike; null where there are none, or where one is not like that. */
export function plainNames(patterns: readonly string[]): readonly string[] | null {
  return patterns.length > 0 && patterns.every((pattern) => /^[\w.*?+@-]+$/.test(pattern)) ? patterns : null
}

/** Returns the values of the options with these names; empty for one without a value. */
export function valuesOf({ options }: GivenWords, names: ReadonlySet<string>): string[] {
  return options
    .filter(({ name }) => names.has(name))
    .map(({ value }) => (typeof value === 'string' ? value : (value?.value ?? '')))
}

/** Returns the patterns that a search must include, hidden or not; null where one is not plain enough to be sure. */
function globsOf(rule: CommandRule, given: GivenWords): readonly string[] | null {
  if (!valuesOf(given, rule.typeOptions).every((type) => rule.plainTypes.has(type))) return null
  const globs = valuesOf(given, rule.globOptions).filter((glob) => !glob.startsWith('!'))
  return globs.every((glob) => /^[\w.*?,{}/-]+$/.test(glob)) ? globs : null
}

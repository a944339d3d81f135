import { isReadOnlyAssignment, isReadOnlyAwk } from './awk-program.ts'
import type { CommandRule, SpecialCheck } from './command-rule.ts'
import { type CommandReads, type RuledWords, ruledWords } from './command-words.ts'
import { findWords } from './find-expression.ts'
import { type GivenOption, isRefusal, type Refusal } from './read-options.ts'
import { isReadOnlySed } from './sed-script.ts'
import type { Word } from './shell-word.ts'
import { testWords } from './test-expression.ts'

/** A closer look at words that the command's rule has let pass. */
type Look = (ruled: RuledWords, name: string) => CommandReads | Refusal

/** Git has a module of its own. */
const looks: Record<Exclude<SpecialCheck, 'git'>, Look> = {
  awk: checkAwk,
  command: (ruled) => {
    const [option, ...names] = texts(ruled.operands)
    const isLookup = option === '-v' && names.every((name) => !name.startsWith('-'))
    return isLookup ? ruled : refusedOption(ruled)
  },
  date: (ruled) =>
    texts(ruled.operands).every((text) => text.startsWith('+')) ? ruled : refusedOperand(ruled),
  find: (ruled) => {
    const found = findWords(ruled.operands)
    return isRefusal(found) ? found : { ...found, isDeep: true }
  },
  printf: checkPrintf,
  sed: checkSed,
  seq: (ruled) => {
    const isCounted = texts(ruled.operands).every((text) => /^[-+]?[\d.]+$/.test(text))
    return isCounted ? ruled : { reason: 'endless', about: ruled.operands[0]?.raw ?? '' }
  },
  tail: checkTail,
  test: checkTest,
  version: (ruled) => {
    const isVersion = ruled.operands.length === 1 && ruled.operands[0]?.value === '--version'
    return isVersion ? ruled : refusedOption(ruled)
  },
}

/** Checks a command other than git. */
export function checkCommand(
  name: string,
  rule: CommandRule,
  words: readonly Word[],
): CommandReads | Refusal {
  const ruled = ruledWords(rule, words)
  if (isRefusal(ruled) || rule.check === undefined || rule.check === 'git') return ruled
  return looks[rule.check](ruled, name)
}

function texts(words: readonly Word[]): string[] {
  return words.map(({ value }) => value ?? '')
}

function optionTexts(options: readonly GivenOption[], ...names: string[]): string[] {
  return options
    .filter(({ name }) => names.includes(name))
    .map(({ value }) => (typeof value === 'string' ? value : (value?.value ?? '')))
}

function refusedOption({ operands }: RuledWords): Refusal {
  return { reason: 'option', about: operands[0]?.raw ?? '' }
}

function refusedOperand({ operands }: RuledWords): Refusal {
  return { reason: 'operand', about: operands[0]?.raw ?? '' }
}

function checkAwk(ruled: RuledWords): CommandReads | Refusal {
  const [program, ...files] = texts(ruled.operands)
  const assigned = [...optionTexts(ruled.options, 'v'), ...files.filter((file) => file.includes('='))]
  const isPlain = program !== undefined && isReadOnlyAwk(program) && assigned.every(isReadOnlyAssignment)
  return isPlain ? ruled : { reason: 'script', about: ruled.operands[0]?.raw ?? '' }
}

function checkSed(ruled: RuledWords): CommandReads | Refusal {
  const given = optionTexts(ruled.options, 'e', 'expression')
  const scripts = given.length > 0 ? given : texts(ruled.operands.slice(0, 1))
  const isPlain = scripts.length > 0 && scripts.every(isReadOnlySed)
  return isPlain ? ruled : { reason: 'script', about: ruled.operands[0]?.raw ?? '' }
}

/** Conversions that only print; `%n` stores. */
const printfFormat = /^(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[sbcqdiouxXeEfFgG])*$/
/** Where a number is due, a subscript may be evaluated. */
const subscript = /\[.*[$`]/s

function checkPrintf(ruled: RuledWords): CommandReads | Refusal {
  const words = texts(ruled.operands)
  const isDashed = words[0] === '--'
  const format = words[isDashed ? 1 : 0] ?? ''
  if (!isDashed && format.startsWith('-')) return refusedOption(ruled)
  if (!printfFormat.test(format) || words.some((text) => subscript.test(text))) return refusedOperand(ruled)
  return ruled
}

/** `tail +5f` and `tail -f` wait for more. */
function checkTail(ruled: RuledWords): CommandReads | Refusal {
  const counts = optionTexts(ruled.options, 'n', 'c', 'lines', 'bytes')
  if (!counts.every((count) => /^[-+]?\d+[kKMG]?$/.test(count))) return refusedOption(ruled)
  return texts(ruled.operands).some((text) => text.startsWith('+')) ? refusedOperand(ruled) : ruled
}

function checkTest(ruled: RuledWords, name: string): CommandReads | Refusal {
  const closer = ruled.operands.at(-1)
  if (name === '[' && closer?.value !== ']') return refusedOperand(ruled)
  const files = testWords(name === '[' ? ruled.operands.slice(0, -1) : ruled.operands)
  return isRefusal(files) ? files : { ...ruled, paths: files }
}

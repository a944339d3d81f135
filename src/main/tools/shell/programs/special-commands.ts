import type { CommandRule, CommandRules, SpecialCheck } from '../command-rule.ts'
import type { Word } from '../parsing/shell-word.ts'
import { isReadOnlyAssignment, isReadOnlyAwk } from './awk-program.ts'
import { type CommandReads, type RuledWords, ruledWords } from './command-words.ts'
import { findWords } from './find-expression.ts'
import { isReadOnlyJq } from './jq-filter.ts'
import { type GivenOption, isRefusal, type Refusal } from './read-options.ts'
import { isReadOnlySed } from './sed-script.ts'
import { testWords } from './test-expression.ts'

/** A further check of words that the command's rule has accepted. */
type Look = (ruled: RuledWords, name: string, rules: CommandRules) => CommandReads | Refusal

/** Short version options, of programs whose version does not depend on files in the folder. */
const shortVersion: ReadonlyMap<string, readonly string[]> = new Map([
  ['node', ['-v']],
  ['python', ['-V']],
  ['python3', ['-V']],
])

/** The checks by name; that of git is in `git-command.ts`. */
const looks: Record<Exclude<SpecialCheck, 'git'>, Look> = {
  awk: checkAwk,
  command: (ruled) => {
    const [option, ...names] = texts(ruled.operands)
    const isLookup = option === '-v' && names.every((name) => !/^-|[/\\]/.test(name))
    return isLookup ? ruled : refusedOption(ruled)
  },
  date: (ruled) =>
    texts(ruled.operands).every((text) => text.startsWith('+')) ? ruled : refusedOperand(ruled),
  find: (ruled, _name, rules) => {
    const found = findWords(ruled.operands, (words) => checkInner(rules, words))
    return isRefusal(found) ? found : { ...found, isDeep: true }
  },
  jq: checkJq,
  printf: checkPrintf,
  sed: checkSed,
  ps: checkPs,
  seq: checkSeq,
  tail: checkTail,
  test: checkTest,
  version: (ruled, name) => {
    const known = ['--version', ...(shortVersion.get(name) ?? [])]
    const isVersion = ruled.operands.length === 1 && known.includes(ruled.operands[0]?.value ?? '')
    return isVersion ? ruled : refusedOption(ruled)
  },
}

/** Checks a command other than git. */
export function checkCommand(
  rules: CommandRules,
  name: string,
  rule: CommandRule,
  words: readonly Word[],
): CommandReads | Refusal {
  const ruled = ruledWords(rule, words)
  if (isRefusal(ruled) || rule.check === undefined || rule.check === 'git') return ruled
  return looks[rule.check](ruled, name, rules)
}

/** Accepts a search command with any number of file operands, without options that write and without its own check. */
function checkInner(rules: CommandRules, [name, ...words]: readonly Word[]): CommandReads | Refusal {
  const rule = name === undefined || name.raw !== name.value ? undefined : rules.get(name.raw)
  if (rule?.operands !== 'textThenPaths' || rule.check !== undefined || rule.maxOperands !== undefined) {
    return { reason: 'command', about: name?.raw ?? '' }
  }
  return ruledWords(rule, words)
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

function checkJq(ruled: RuledWords): CommandReads | Refusal {
  const filter = ruled.operands[0]
  // Without a filter, older versions read one from where newer ones read data.
  return filter !== undefined && isReadOnlyJq(filter.value ?? '')
    ? ruled
    : { reason: 'script', about: filter?.raw ?? '' }
}

function checkSed(ruled: RuledWords): CommandReads | Refusal {
  const given = optionTexts(ruled.options, 'e', 'expression')
  const scripts = given.length > 0 ? given : texts(ruled.operands.slice(0, 1))
  const isPlain = scripts.length > 0 && scripts.every(isReadOnlySed)
  return isPlain ? ruled : { reason: 'script', about: ruled.operands[0]?.raw ?? '' }
}

/** Conversions that only print; `%n` stores. */
const printfFormat = /^(?:[^%]|%%|%[-+ #0]*\d{0,3}(?:\.\d{1,3})?[sbcqdiouxXeEfFgG])*$/
/** A subscript, which may be evaluated where a number is expected. */
const subscript = /\[.*[$`]/s

function checkPrintf(ruled: RuledWords): CommandReads | Refusal {
  const words = texts(ruled.operands)
  const isDashed = words[0] === '--'
  const format = words[isDashed ? 1 : 0] ?? ''
  if (!isDashed && format.startsWith('-')) return refusedOption(ruled)
  if (!printfFormat.test(format) || words.some((text) => subscript.test(text))) return refusedOperand(ruled)
  return ruled
}

/** Refuses the forms of `tail` that wait for more input: `tail +5f` and `tail -f`. */
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

const columnNames =
  'args c class cls cmd comm command cputime etime etimes f fname group gid lstart lwp ni nice nlwp pcpu pgid pid pmem ' +
  'ppid pri psr rss rssize ruser s sid size start start_time stat state stime sz tid time tname tt tty ucmd uid user ' +
  'vsize vsz wchan %cpu %mem'
const columns = new Set(columnNames.split(' '))
/** Selections that `ps` accepts as whole words; any other letter can print environments. */
const selections = new Set(
  'a ax x u ux aux auxw auxww axu axuw axuww axf auxf axl l f -A -e -f -ef -eF -el -efl -ely -eo -Ao -u -p -o -C -a -x'.split(
    ' ',
  ),
)

function checkPs(ruled: RuledWords): CommandReads | Refusal {
  const words = texts(ruled.operands)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const sort = /^--sort=(.+)$/.exec(word)?.[1]
    if (word === '--no-headers' || word === '--forest') continue
    if (sort !== undefined ? areColumns(sort) : takesNext(word, words[at + 1])) {
      if (sort === undefined) at += 1
    } else if (/^-(?:u|p|o|C|eo|Ao)$/.test(word) || !selections.has(word)) {
      return { reason: 'operand', about: ruled.operands[at]?.raw ?? '' }
    }
  }
  return ruled
}

function takesNext(option: string, value = ''): boolean {
  if (option === '-o' || option === '-eo' || option === '-Ao') return areColumns(value)
  if (option === '-p') return /^\d+(?:,\d+)*$/.test(value)
  return (option === '-u' || option === '-C') && /^[A-Za-z_][\w.-]*$/.test(value)
}

function areColumns(list: string): boolean {
  return list
    .split(',')
    .every((name) => columns.has(name.replace(/^[-+]/, '').replace(/(?::\d{1,3})?=?$/, '')))
}

const limitCount = 100_000

function checkSeq(ruled: RuledWords): CommandReads | Refusal {
  const numbers = texts(ruled.operands)
  const [first, step, last] = [
    numbers.length > 1 ? numbers[0] : '1',
    numbers[2] && numbers[1],
    numbers.at(-1),
  ].map((text) => Number(text || '1')) as [number, number, number]
  const isCounted = numbers.every((text) => /^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(text))
  const count = Math.abs(last - first) / Math.abs(step)
  // A step of 0 is refused: its count is infinite or not a number.
  if (isCounted && count <= limitCount) return ruled
  return { reason: 'endless', about: ruled.operands[0]?.raw ?? '' }
}

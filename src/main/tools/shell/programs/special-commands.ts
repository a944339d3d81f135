import type { CommandRule, CommandRules, SpecialCheck } from '../command-rule.ts'
import type { Word } from '../parsing/shell-word.ts'
import { wordSet } from '../parsing/text-scan.ts'
import { isReadOnlyAssignment, isReadOnlyAwk } from './awk-program.ts'
import { type CommandReads, type RuledWords, ruledWords, valuesOf } from './command-words.ts'
import { findWords } from './find-expression.ts'
import { isReadOnlyJq } from './jq-filter.ts'
import { isRefusal, type Refusal } from './read-options.ts'
import { isReadOnlySed } from './sed-script.ts'

/** A further check of words that the command's rule has accepted. */
type WordCheck = (ruled: RuledWords, name: string, rules: CommandRules) => CommandReads | Refusal

/** Short version options, of programs whose version does not depend on files in the folder. */
const shortVersion: ReadonlyMap<string, readonly string[]> = new Map([
  ['node', ['-v']],
  ['python', ['-V']],
  ['python3', ['-V']],
])

/** The checks by name; that of git is in `git-command.ts`. */
const checks: Record<Exclude<SpecialCheck, 'git'>, WordCheck> = {
  awk: checkAwk,
  command: (ruled) => {
    const [option, ...names] = texts(ruled.operands)
    const isLookup = option === '-v' && names.every((name) => !/^-|[/\\]/.test(name))
    return isLookup ? ruled : refused('option', ruled)
  },
  date: (ruled) =>
    texts(ruled.operands).every((text) => text.startsWith('+')) ? ruled : refused('operand', ruled),
  find: (ruled, _name, rules) => findWords(ruled.operands, (words) => checkInner(rules, words)),
  // Without a filter, older versions read one from where newer ones read data.
  jq: (ruled) => (isReadOnlyJq(ruled.operands[0]?.value ?? '') ? ruled : refused('script', ruled)),
  printf: checkPrintf,
  sed: checkSed,
  ps: checkPs,
  seq: checkSeq,
  tail: checkTail,
  test: checkTest,
  version: (ruled, name) => {
    const known = ['--version', ...(shortVersion.get(name) ?? [])]
    const isVersion = ruled.operands.length === 1 && known.includes(ruled.operands[0]?.value ?? '')
    return isVersion ? ruled : refused('option', ruled)
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
  return checks[rule.check](ruled, name, rules)
}

/** Accepts a search command with any number of file operands, without options that write and without its own check. */
function checkInner(rules: CommandRules, [name, ...words]: readonly Word[]): CommandReads | Refusal {
  const rule = name === undefined || name.raw !== name.value ? undefined : rules.get(name.raw)
  if (rule?.operands !== 'textThenPaths' || rule.check !== undefined || rule.maxOperands !== undefined)
    return { reason: 'command', about: name?.raw ?? '' }
  return ruledWords(rule, words)
}

function texts(words: readonly Word[]): string[] {
  return words.map(({ value }) => value ?? '')
}

function refused(reason: Refusal['reason'], { operands }: RuledWords): Refusal {
  return { reason, about: operands[0]?.raw ?? '' }
}

function checkAwk(ruled: RuledWords): CommandReads | Refusal {
  const [program, ...files] = texts(ruled.operands)
  const assigned = [...valuesOf(ruled, new Set(['v'])), ...files.filter((file) => file.includes('='))]
  const isPlain = program !== undefined && isReadOnlyAwk(program) && assigned.every(isReadOnlyAssignment)
  return isPlain ? ruled : refused('script', ruled)
}

function checkSed(ruled: RuledWords): CommandReads | Refusal {
  const given = valuesOf(ruled, new Set(['e', 'expression']))
  const scripts = given.length > 0 ? given : texts(ruled.operands.slice(0, 1))
  const isPlain = scripts.length > 0 && scripts.every(isReadOnlySed)
  return isPlain ? ruled : refused('script', ruled)
}

/** Conversions that only print; `%n` stores. */
const printfFormat = /^(?:[^%]|%%|%[-+ #0]*\d{0,3}(?:\.\d{1,3})?[sbcqdiouxXeEfFgG])*$/
/** A subscript, which may be evaluated where a number is expected. */
const subscript = /\[.*[$`]/s

function checkPrintf(ruled: RuledWords): CommandReads | Refusal {
  const words = texts(ruled.operands)
  const isDashed = words[0] === '--'
  const format = words[isDashed ? 1 : 0] ?? ''
  if (!isDashed && format.startsWith('-')) return refused('option', ruled)
  if (!printfFormat.test(format) || words.some((text) => subscript.test(text)))
    return refused('operand', ruled)
  return ruled
}

/** Refuses the forms of `tail` that wait for more input: `tail +5f` and `tail -f`. */
function checkTail(ruled: RuledWords): CommandReads | Refusal {
  const counts = valuesOf(ruled, new Set(['n', 'c', 'lines', 'bytes']))
  if (!counts.every((count) => /^[-+]?\d+[kKMG]?$/.test(count))) return refused('option', ruled)
  return texts(ruled.operands).some((text) => text.startsWith('+')) ? refused('operand', ruled) : ruled
}

function checkTest(ruled: RuledWords, name: string): CommandReads | Refusal {
  const closer = ruled.operands.at(-1)
  if (name === '[' && closer?.value !== ']') return refused('operand', ruled)
  const files = testWords(name === '[' ? ruled.operands.slice(0, -1) : ruled.operands)
  return isRefusal(files) ? files : { ...ruled, paths: files }
}

const columns = wordSet(
  'args c class cls cmd comm command cputime etime etimes f fname group gid lstart lwp ni nice nlwp pcpu pgid pid pmem',
  'ppid pri psr rss rssize ruser s sid size start start_time stat state stime sz tid time tname tt tty ucmd uid user',
  'vsize vsz wchan %cpu %mem',
)
/** Selections that `ps` accepts as whole words; any other letter can print environments. */
const selections = wordSet(
  'a ax x u ux aux auxw auxww axu axuw axuww axf auxf axl l f -A -e -f -ef -eF -el -efl -ely -eo -Ao -u -p -o -C -a -x',
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
  return refused('endless', ruled)
}

/** Not `-v` and `-R`: they evaluate a subscript, and a subscript can run a command. */
const fileTests = wordSet('-b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x')
const textTests = wordSet('-n -z')
const comparisons = wordSet('= == !=')
const fileComparisons = wordSet('-nt -ot -ef')
const numeric = wordSet('-eq -ne -lt -le -gt -ge')
const wholeNumber = /^[+-]?\d+$/

/** A variable in quotes is one word, whatever it holds. */
const quotedVariable = /^"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})"$/

/** Reads the words between `[` and `]`; returns the files that they test. */
function testWords(words: readonly Word[]): Word[] | Refusal {
  if (isTextTest(words[0]?.value === '!' ? words.slice(1) : words)) return []
  const files: Word[] = []
  let index = 0
  const value = (offset = 0): string | undefined => words[index + offset]?.value ?? undefined
  const unknown = words.find((word) => word.value === null)
  if (unknown !== undefined) return { reason: 'expansion', about: unknown.raw }
  while (index < words.length) {
    while (value() === '!') index += 1
    const size = term(value(), value(1), value(2))
    if (size === 0) return { reason: 'operand', about: words[index]?.raw ?? '' }
    const isFiles = size === 3 ? fileComparisons.has(value(1) ?? '') : fileTests.has(value() ?? '')
    for (const at of size === 3 ? [0, 2] : [1]) {
      const word = words[index + at]
      if (size > 1 && isFiles && word !== undefined) files.push(word)
    }
    index += size
    const joint = value()
    if (joint !== undefined) {
      if (joint !== '-a' && joint !== '-o') return { reason: 'operand', about: joint }
      index += 1
      if (index === words.length) return { reason: 'operand', about: joint }
    }
  }
  return files
}

/** True for a test of texts, also of quoted variables: so few words cannot be read in another way. */
function isTextTest(words: readonly Word[]): boolean {
  const [first, second, third] = words
  const isText = (word?: Word): boolean =>
    word !== undefined && (quotedVariable.test(word.raw) || (word.value !== null && !isOption(word.value)))
  if (words.length === 2) return textTests.has(first?.value ?? '') && isText(second)
  return words.length === 3 && isText(first) && comparisons.has(second?.value ?? '') && isText(third)
}

/** Returns the number of words in the next term, 0 where none is known. */
function term(first: string | undefined, second: string | undefined, third: string | undefined): number {
  if (first === undefined) return 0
  if (second !== undefined && third !== undefined && !isOption(first) && !isOption(third)) {
    if (comparisons.has(second) || fileComparisons.has(second)) return 3
    if (numeric.has(second)) return wholeNumber.test(first) && wholeNumber.test(third) ? 3 : 0
  }
  if (second !== undefined && (fileTests.has(first) || textTests.has(first)) && !isOption(second)) return 2
  return isOption(first) ? 0 : 1
}

function isOption(text: string): boolean {
  return /^-[A-Za-z]/.test(text)
}

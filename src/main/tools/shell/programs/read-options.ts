import type { CommandRule } from '../command-rule.ts'
import type { Word } from '../parsing/shell-word.ts'

/** Why a line is not known to be read-only. */
type RefusalReason =
  | 'syntax'
  | 'structure'
  | 'redirect'
  | 'assignment'
  | 'command'
  | 'option'
  | 'operand'
  | 'expansion'
  | 'device'
  | 'script'
  | 'endless'
  | 'git-configuration'

/** A refusal, with the part of the line that it is about. */
export type Refusal = { reason: RefusalReason; about: string }

/** An option as it was given, by its name without dashes. */
type GivenOption = {
  name: string
  value: Word | string | null
  /** The option before it has no value, and another version of the program might read this one as its value. */
  mayBeValue: boolean
}

/** A command's words, sorted. Shape: `value` of a word in `paths` may still need expanding. */
export type GivenWords = { options: GivenOption[]; operands: Word[]; paths: (Word | string)[] }

export function isRefusal(result: object): result is Refusal {
  return 'reason' in result
}

/** Sorts words into options and operands by a rule; refuses the first that the rule does not list. */
export function readOptions(rule: CommandRule, words: readonly Word[]): GivenWords | Refusal {
  const given: GivenWords = { options: [], operands: [], paths: [] }
  let index = 0
  let isPastOptions = false
  /** True while the option read last takes an optional value and came without one. */
  let isOpen = false
  for (; index < words.length; index++) {
    const word = words[index]
    if (word === undefined) break
    if (word.value === null && !rule.openWords) return { reason: 'expansion', about: word.raw }
    const text = word.value
    if (isPastOptions || text === null || text === '-' || !text.startsWith('-')) {
      given.operands.push(word)
    } else if (text === '--') {
      isPastOptions = true
    } else if (!option(text) || (rule.optionsFirst && given.operands.length > 0)) {
      return { reason: 'option', about: word.raw }
    }
  }
  return given

  function option(text: string): boolean {
    if (text.startsWith('--')) return long(text.slice(2))
    if (rule.numbers && /^-\d+$/.test(text)) return true
    return cluster(text.slice(1))
  }

  function long(text: string): boolean {
    const equalsAt = text.indexOf('=')
    const name = equalsAt < 0 ? text : text.slice(0, equalsAt)
    const value = equalsAt < 0 ? null : text.slice(equalsAt + 1)
    // A one-letter name in the tables is a short option.
    if (name.length < 2) return false
    if (value === null && rule.long.has(name)) return add(name, null)
    if (rule.optional.has(name)) return add(name, value)
    return valued(name, value)
  }

  function cluster(text: string): boolean {
    for (let at = 0; at < text.length; at++) {
      const letter = text.charAt(at)
      const rest = text.slice(at + 1)
      if (rule.attached.has(letter)) return add(letter, rest)
      if (rule.values.has(letter) || rule.paths.has(letter)) return valued(letter, rest === '' ? null : rest)
      if (!rule.flags.has(letter) || !add(letter, null)) return false
    }
    return true
  }

  function valued(name: string, attached: string | null): boolean {
    const isPath = rule.paths.has(name)
    if (!isPath && !rule.values.has(name)) return false
    const value = attached ?? nextWord()
    if (value === null) return false
    if (isPath) given.paths.push(value)
    return add(name, value)
  }

  function nextWord(): Word | null {
    const word = words[index + 1]
    if (word === undefined || (word.value === null && !rule.openWords)) return null
    index += 1
    return word
  }

  function add(name: string, value: Word | string | null): boolean {
    given.options.push({ name, value, mayBeValue: isOpen })
    isOpen = value === null && rule.optional.has(name)
    const text = typeof value === 'object' ? value?.value : value
    if (text === undefined || text === null) return true
    if (rule.widths.has(name) && !/^[-+]?(?:\d{0,4}(?:,\d{0,4})*)$/.test(text)) return false
    return rule.choices[name]?.has(text) ?? true
  }
}

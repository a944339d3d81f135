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
export type GivenOption = {
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
  return new OptionReader(rule, words).run()
}

class OptionReader {
  private readonly rule: CommandRule
  private readonly words: readonly Word[]
  private index = 0
  private readonly given: GivenWords = { options: [], operands: [], paths: [] }
  /** True while the option read last takes an optional value and came without one. */
  private isOpen = false

  constructor(rule: CommandRule, words: readonly Word[]) {
    this.rule = rule
    this.words = words
  }

  run(): GivenWords | Refusal {
    let isPastOptions = false
    for (; this.index < this.words.length; this.index++) {
      const word = this.words[this.index]
      if (word === undefined) break
      if (word.value === null && !this.rule.openWords) return { reason: 'expansion', about: word.raw }
      const text = word.value
      if (isPastOptions || text === null || text === '-' || !text.startsWith('-')) {
        this.given.operands.push(word)
      } else if (text === '--') {
        isPastOptions = true
      } else if (!this.option(text) || (this.rule.optionsFirst && this.given.operands.length > 0)) {
        return { reason: 'option', about: word.raw }
      }
    }
    return this.given
  }

  private option(text: string): boolean {
    if (text.startsWith('--')) return this.long(text.slice(2))
    if (this.rule.numbers && /^-\d+$/.test(text)) return true
    return this.cluster(text.slice(1))
  }

  private long(text: string): boolean {
    const equalsAt = text.indexOf('=')
    const name = equalsAt < 0 ? text : text.slice(0, equalsAt)
    const value = equalsAt < 0 ? null : text.slice(equalsAt + 1)
    // A one-letter name in the tables is a short option.
    if (name.length < 2) return false
    if (value === null && this.rule.long.has(name)) return this.add(name, null)
    if (this.rule.optional.has(name)) return this.add(name, value)
    return this.valued(name, value)
  }

  private cluster(text: string): boolean {
    for (let at = 0; at < text.length; at++) {
      const letter = text.charAt(at)
      const rest = text.slice(at + 1)
      if (this.rule.attached.has(letter)) return this.add(letter, rest)
      if (this.rule.values.has(letter) || this.rule.paths.has(letter)) {
        return this.valued(letter, rest === '' ? null : rest)
      }
      if (!this.rule.flags.has(letter)) return false
      if (!this.add(letter, null)) return false
    }
    return true
  }

  private valued(name: string, attached: string | null): boolean {
    const isPath = this.rule.paths.has(name)
    if (!isPath && !this.rule.values.has(name)) return false
    const value = attached ?? this.next()
    if (value === null) return false
    if (isPath) this.given.paths.push(value)
    return this.add(name, value)
  }

  private next(): Word | null {
    const word = this.words[this.index + 1]
    if (word === undefined || (word.value === null && !this.rule.openWords)) return null
    this.index += 1
    return word
  }

  private add(name: string, value: Word | string | null): boolean {
    this.given.options.push({ name, value, mayBeValue: this.isOpen })
    this.isOpen = value === null && this.rule.optional.has(name)
    const text = typeof value === 'object' ? value?.value : value
    if (text === undefined || text === null) return true
    if (this.rule.widths.has(name) && !/^[-+]?(?:\d{0,4}(?:,\d{0,4})*)$/.test(text)) return false
    return this.rule.choices[name]?.has(text) ?? true
  }
}

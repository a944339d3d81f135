import type { ToolName } from '../domain/session/tool-name.ts'
import type { ErrorInfo } from '../errors.ts'
import { onFirstUse } from '../first-use.ts'
import en from './en.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import tools from './tools.json' with { type: 'json' }

export type Language = 'ja' | 'en'
type ToolText = 'tool' | 'conversation.tool' | 'conversation.now'
export type MessageKey = (keyof typeof en & keyof typeof ja) | `${ToolText}.${ToolName}`
type MessageValue = string | number | readonly string[]
export type MessageValues = Record<string, MessageValue>

/** Returns a text for people in one language. Numbers are grouped and lists joined as usual in that language. */
export type Translate = (key: MessageKey, values?: MessageValues) => string

/** The texts of each tool, side by side in both languages: in rules, on the card of a call, and while it runs. */
const toolTexts: Record<ToolName, Record<ToolText, Record<Language, string>>> = tools

function withTools<Texts extends object>(texts: Texts, language: Language) {
  const own = Object.entries(toolTexts).flatMap(([name, row]) =>
    Object.entries(row).map(([kind, text]) => [`${kind}.${name}`, text[language]] as const),
  )
  return { ...texts, ...(Object.fromEntries(own) as Record<`${ToolText}.${ToolName}`, string>) }
}

const messages: Record<Language, Record<MessageKey, string>> = {
  ja: withTools(ja, 'ja'),
  en: withTools(en, 'en'),
}

type Figures = { format(value: Exclude<MessageValue, string>): string; isOne(value: number): boolean }

/**
 * Replaces `{name}` once: inserted text is never expanded again; an unknown name stays as it is.
 * `{name|entry|entries}` becomes the singular or plural word for the number of that name.
 */
function fill(template: string, values: MessageValues, figures: Figures): string {
  return template.replace(
    /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g,
    (whole, name: string, one?: string, other?: string) => {
      const value = values[name]
      if (value === undefined) return whole
      if (one !== undefined && other !== undefined) return figures.isOne(Number(value)) ? one : other
      return typeof value === 'string' ? value : figures.format(value)
    },
  )
}

export function createTranslate(language: Language): Translate {
  const numbers = onFirstUse(() => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }))
  const plurals = onFirstUse(() => new Intl.PluralRules(language))
  const figures: Figures = {
    format: (value) => (typeof value === 'number' ? numbers().format(value) : listText(language, value)),
    isOne: (value) => plurals().select(value) === 'one',
  }
  return (key, values = {}) => fill(messages[language][key], values, figures)
}

export function isMessageKey(key: string): key is MessageKey {
  return Object.hasOwn(messages.en, key)
}

/** Returns the interface's language: the user's choice, else the system's where it is Japanese, else English. */
export function chooseLanguage(choice: 'system' | Language, locale: string): Language {
  if (choice !== 'system') return choice
  return locale.toLowerCase().startsWith('ja') ? 'ja' : 'en'
}

/** Returns one text that says what happened and what to do. */
export function errorText(t: Translate, language: Language, info: ErrorInfo): string {
  const values: MessageValues = {}
  for (const [name, value] of Object.entries(info)) {
    if (name === 'code') continue
    values[name] = errorValue(t, language, name, value)
  }
  if ('denial' in info) values.denial = t(`denial.${info.denial}`, { detail: info.detail })
  return t(`error.${info.code}`, values)
}

function errorValue(t: Translate, language: Language, name: string, value: unknown): MessageValue {
  if (typeof value === 'number') {
    if (name.endsWith('Bytes')) return sizeText(language, value)
    if (name.endsWith('Ms')) return t('unit.seconds', { count: Math.round(value / 100) / 10 })
    return value
  }
  if (name === 'phase') return t(`timeout.${value}` as MessageKey)
  if (name === 'problem') return t(`folder.problem.${value}` as MessageKey)
  if (name === 'encoding') return t(`encoding.${value}` as MessageKey)
  return Array.isArray(value) ? value.map(String) : String(value)
}

/** Joins words into a list for a line of facts. */
export function listText(language: Language, words: readonly string[]): string {
  return words.join(language === 'ja' ? '、' : ', ')
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Returns a size as text. Units: decimal, as file managers and download pages give it. */
export function sizeText(language: Language, sizeBytes: number): string {
  const power = Math.min(
    Math.max(Math.floor(Math.log10(Math.max(sizeBytes, 1)) / 3), 0),
    sizeUnits.length - 1,
  )
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: sizeUnits[power] ?? 'byte',
    // The short name of a byte has no plural.
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(sizeBytes / 1000 ** power)
}

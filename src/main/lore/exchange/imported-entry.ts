import type { LoreSettings } from '../../../shared/domain/lore/lore.ts'
import type { LoreLoss } from '../../../shared/domain/lore/lore-exchange.ts'
import { patternOf } from '../match-lore.ts'

/** An entry of another program. Shape: `kept` is stored unread in the file's front matter. */
export type ImportedEntry = {
  name: string
  text: string
  settings: LoreSettings
  kept: Record<string, unknown>
  losses: Set<LoreLoss>
}

/**
 * Which of a lorebook's entries is kept longer. Shape: `value` in the range of our priorities where it fits; `field` holds the
 * lorebook's own number, null: the program's default.
 */
export type LorebookOrder = { value: number; field: { name: string; value: number } | null }

/** Longest text that is a key. Units: UTF-16. */
const limitKeyChars = 1_000
const limitKeys = 1_000
const limitTextChars = 500_000
/** Longest field, as JSON, that is kept unread: the parser of front matter takes quadratic time. */
const limitKeptChars = 4_000

/** Reads the fields of an entry of another program. Values of the wrong type count as absent. */
export class EntryReader {
  readonly losses = new Set<LoreLoss>()
  readonly kept: Record<string, unknown> = {}
  readonly #source: Readonly<Record<string, unknown>>

  constructor(source: unknown) {
    this.#source = isRecord(source) ? source : {}
  }

  text(name: string): string {
    const value = this.#source[name]
    if (typeof value !== 'string') return ''
    const text = value.replace(/\r\n?/g, '\n')
    if (text.length <= limitTextChars) return text
    this.losses.add('long-text')
    // A surrogate pair stays whole.
    return text.slice(0, limitTextChars).replace(/[\ud800-\udbff]$/, '')
  }

  flag(name: string, absent: boolean): boolean {
    const value = this.#source[name]
    return typeof value === 'boolean' ? value : absent
  }

  number(name: string): number | undefined {
    const value = this.#source[name]
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }

  /** Reads the first of these numbers; `scale` of one is one of our priorities. */
  order(names: readonly string[], absent: number, scale = 1): LorebookOrder {
    for (const name of names) {
      const value = this.number(name)
      if (value !== undefined) return { value: value / scale, field: { name, value } }
    }
    return { value: absent, field: null }
  }

  under(name: string): EntryReader {
    return new EntryReader(this.#source[name])
  }

  /** Reads keys from a list, or from one text with commas between them. */
  keys(name: string, isRegex = false): string[] {
    const value = this.#source[name]
    const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
    const keys: string[] = []
    for (const each of list.slice(0, limitKeys)) {
      if (typeof each !== 'string' || each.trim() === '') continue
      // An expression grows by the slashes around it.
      const key = each.length > limitKeyChars ? null : this.#key(each.trim(), isRegex)
      if (key === null || key.length > limitKeyChars) this.losses.add('long-keys')
      else keys.push(key)
    }
    if (list.length > limitKeys) this.losses.add('long-keys')
    return [...new Set(keys)]
  }

  /**
   * Keeps fields that we do not read, where they are not empty or default. A long one is lost as a whole; greetings and
   * examples of a card belong to a chat, which a work has none of.
   */
  keep(
    loss: LoreLoss,
    names: readonly string[],
    isDefault: (value: unknown, name: string) => boolean = isNothing,
  ): void {
    for (const name of names) {
      const value = this.#source[name]
      if (value === undefined || isNothing(value) || isDefault(value, name)) continue
      this.losses.add(loss)
      if (loss === 'card') continue
      if (JSON.stringify(value).length <= limitKeptChars) this.kept[name] = value
      else this.losses.add('long-fields')
    }
  }

  /** Joins keys into one that matches where any of them does: an expression, or the only key itself. */
  anyOf(keys: readonly string[]): string[] {
    const [only] = keys
    if (keys.length < 2) return only === undefined ? [] : [only]
    const sources = keys.map((key) => patternOf(key) ?? key.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    const joined = `/(?:${sources.join('|')})/`
    if (joined.length <= limitKeyChars) return [joined]
    this.losses.add('long-keys')
    return []
  }

  #key(key: string, isRegex: boolean): string {
    const match = /^\/(.+)\/([a-z]*)$/su.exec(key)
    if (match !== null) {
      if (/[^iu]/.test(match[2] ?? '')) this.losses.add('flags')
      return `/${match[1]}/`
    }
    return isRegex ? `/${key}/` : key
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNothing(value: unknown): boolean {
  return (
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (isRecord(value) && Object.keys(value).length === 0)
  )
}

const mostPriority = 100

/**
 * Finds priorities for an imported lorebook, whose own numbers may be any, so that their order stays: each is as near to its
 * own number as the others leave room for. More than 101 different numbers share the steps in order.
 *
 * Shape: whole numbers from 0 to 100, by number. Units: as our priorities, where the program's range is another one.
 */
export function prioritiesOf(numbers: readonly number[]): ReadonlyMap<number, number> {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  const last = sorted.length - 1
  if (last > mostPriority)
    return new Map(sorted.map((number, rank) => [number, Math.round((rank / last) * mostPriority)]))
  const priorities = sorted.map(Math.round)
  let most = mostPriority
  for (let at = last; at >= 0; at--) {
    priorities[at] = Math.min(priorities[at] ?? 0, most)
    most = (priorities[at] ?? 0) - 1
  }
  let least = 0
  return new Map(
    sorted.map((number, at) => {
      const priority = Math.max(priorities[at] ?? 0, least)
      least = priority + 1
      return [number, priority]
    }),
  )
}

import { ChapterRange, LoreSettings } from '../../../shared/domain/lore/lore.ts'
import type { LoreFormat } from '../../../shared/domain/lore/lore-exchange.ts'
import { isTooDeep } from '../../../shared/text/json.ts'
import { answerThread } from '../../platform/node/limited-thread.ts'
import {
  EntryReader,
  type ImportedEntry,
  isRecord,
  type LorebookOrder,
  prioritiesOf,
} from './imported-entry.ts'
import { cardText } from './png-text.ts'

/** Shape: `empty` counts entries without text, `tooMany` those that were not read because there are too many. */
export type ImportedLorebook = {
  entries: ImportedEntry[]
  tooMany: number
  format: LoreFormat
  empty: number
}

/** Shape: `order` null where the program has no such number. */
type OrderedEntry = ImportedEntry & { order: LorebookOrder | null }

type ReadEntries = { entries: OrderedEntry[]; tooMany: number }

const limitEntries = 10_000
/** A person's name replaces each of its placeholders in a text, so a long name would multiply the text. */
const limitNameChars = 200

export const moduleUrl = import.meta.url

/**
 * Reads entries of SillyTavern (world info), NovelAI (lorebook), KoboldAI and KoboldAI Lite (world info) and character
 * cards (versions 1 to 3, JSON or PNG). Undefined where a file is none of these. A file can make this slow: the host
 * calls it only in a thread.
 *
 * Source: the character card specifications V2 and V3; exports of the programs as their documentation describes them.
 */
export function readLorebook(bytes: Uint8Array): ImportedLorebook | undefined {
  const value = parse(cardText(bytes) ?? new TextDecoder().decode(bytes))
  const lorebook = value === undefined ? undefined : lorebookOf(value)
  if (lorebook === undefined) return undefined
  const filled = lorebook.entries.filter(({ text }) => text.trim() !== '')
  return { ...lorebook, entries: prioritised(filled), empty: lorebook.entries.length - filled.length }
}

/** Gives entries their priorities. A number that becomes another one is kept, and named as a loss. */
function prioritised(entries: readonly OrderedEntry[]): ImportedEntry[] {
  const priorities = prioritiesOf(entries.flatMap(({ order }) => order?.value ?? []))
  return entries.map(({ order, ...entry }) => {
    const priority = order === null ? undefined : priorities.get(order.value)
    if (order === null || priority === undefined) return entry
    const { field, value } = order
    if (field !== null && priority !== Math.round(value)) {
      entry.kept[field.name] = field.value
      entry.losses.add('priority')
    }
    return { ...entry, settings: { ...entry.settings, priority } }
  })
}

/** Reads at most `limitEntries` entries: each costs much more than its bytes in the file. */
function each(list: readonly unknown[], read: (source: unknown) => OrderedEntry): ReadEntries {
  return { entries: list.slice(0, limitEntries).map(read), tooMany: Math.max(0, list.length - limitEntries) }
}

function parse(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

function lorebookOf(value: unknown): (ReadEntries & { format: LoreFormat }) | undefined {
  if (Array.isArray(value))
    return value.slice(0, limitEntries).some((one) => isRecord(one) && 'key' in one)
      ? koboldLite(value)
      : undefined
  if (!isRecord(value)) return undefined
  const { spec, data, entries, worldinfo } = value
  if (isRecord(data) && typeof spec === 'string' && spec.startsWith('chara_card_v'))
    return { format: spec === 'chara_card_v3' ? 'card-v3' : 'card-v2', ...cardEntries(data) }
  if ('lorebookVersion' in value && Array.isArray(entries)) {
    const categories = categoriesOf(value.categories)
    return { format: 'novelai', ...each(entries, (entry) => novelAiEntry(entry, categories)) }
  }
  if (spec === 'lorebook_v3' && isRecord(data)) return { format: 'card-v3', ...lorebookEntries(data) }
  if (Array.isArray(worldinfo)) return koboldLite(worldinfo)
  if (isRecord(entries)) {
    const list = Object.values(entries)
    const isKobold =
      'folders' in value || list.some((one) => isRecord(one) && ('wpp' in one || 'use_wpp' in one))
    return isKobold
      ? { format: 'koboldai', ...each(list, koboldEntry) }
      : { format: 'sillytavern', ...each(list, tavernEntry) }
  }
  const isCard =
    typeof value.name === 'string' && typeof value.description === 'string' && 'first_mes' in value
  return isCard ? { format: 'card-v1', ...cardEntries(value) } : undefined
}

const timing = ['sticky', 'cooldown', 'delay', 'delayUntilRecursion']
const place = ['position', 'depth', 'role', 'scanDepth', 'scan_depth', 'outletName']
const groups = ['group', 'groupOverride', 'groupWeight', 'useGroupScoring']
const tavernDefaults = { position: 0, depth: 4, groupWeight: 100, role: 0, sticky: 0, cooldown: 0, delay: 0 }
const isDefaultOfTavern = (value: unknown, name: string) =>
  value === (tavernDefaults as Record<string, unknown>)[name]

function tavernEntry(source: unknown): OrderedEntry {
  const read = new EntryReader(source)
  const keys = read.keys('key')
  const second = read.keys('keysecondary')
  const { also, never } = secondaryOf(read, read.flag('selective', true) ? second : [])
  const own = ownSettings(read)
  if ((read.number('probability') ?? 100) < 100) read.keep('probability', ['probability', 'useProbability'])
  read.keep('timing', timing, isDefaultOfTavern)
  read.keep('place', place, isDefaultOfTavern)
  read.keep('group', groups, isDefaultOfTavern)
  read.keep('case', ['caseSensitive', 'matchWholeWords'])
  read.keep('other', [
    'excludeRecursion',
    'preventRecursion',
    'vectorized',
    'automationId',
    'characterFilter',
    'triggers',
  ])
  return entryOf(read, read.text('comment') || (keys[0] ?? ''), read.text('content'), {
    keys,
    also,
    never: never.length > 0 ? never : own.never,
    range: own.range,
    always: read.flag('constant', false),
    enabled: !read.flag('disable', false),
    order: read.order(['order'], 100),
  })
}

/** Returns the settings that `write-lorebook.ts` keeps beside SillyTavern's own fields. */
function ownSettings(entry: EntryReader): Pick<LoreSettings, 'never' | 'range'> {
  const own = entry.under('extensions').under('tsugi')
  const written = own.under('range')
  const [from, to] = [written.number('from') ?? null, written.number('to') ?? null]
  const range = from === null && to === null ? undefined : ChapterRange.safeParse({ from, to }).data
  return { never: own.keys('never'), range: range ?? null }
}

/**
 * Reads which secondary keys must be in the text and which must not. SillyTavern's `selectiveLogic`, a field of `place`:
 * 0 any of them is there, 1 not all are, 2 none is, 3 all are.
 */
function secondaryOf(read: EntryReader, second: string[], place: EntryReader = read) {
  if (second.length === 0) return { also: [], never: [] }
  switch (place.number('selectiveLogic') ?? 0) {
    case 0:
      return { also: read.anyOf(second), never: [] }
    case 2:
      return { also: [], never: second }
    case 3:
      return { also: second, never: [] }
    default:
      // "Not all" of one key means "none"; for several keys we have no counterpart.
      if (second.length === 1) return { also: [], never: second }
      place.keep('logic', ['selectiveLogic'])
      read.keep('logic', ['keysecondary', 'secondary_keys'])
      return { also: [], never: [] }
  }
}

type Categories = ReadonlyMap<string, Record<string, unknown>>

function categoriesOf(list: unknown): Categories {
  const found = (Array.isArray(list) ? list : []).filter(isRecord)
  return new Map(found.map((category) => [String(category.id), category]))
}

/**
 * Keeps what a category does with its entries, besides switching them off: a part of the context for itself, settings of
 * new entries, a bias. Each setting counts where it is switched on.
 */
function keepCategory(read: EntryReader, category: Record<string, unknown>): void {
  const { name, createSubcontext, subcontextSettings, useCategoryDefaults, categoryDefaultSettings } =
    category
  const own = new EntryReader({
    category: name,
    subcontextSettings: createSubcontext === true ? subcontextSettings : null,
    categoryDefaultSettings: useCategoryDefaults === true ? categoryDefaultSettings : null,
    categoryBiasGroups: category.categoryBiasGroups,
  })
  own.keep('group', ['category', 'subcontextSettings', 'categoryDefaultSettings'])
  own.keep('bias', ['categoryBiasGroups'], isWithoutPhrases)
  Object.assign(read.kept, own.kept)
  for (const loss of own.losses) read.losses.add(loss)
}

function novelAiEntry(source: unknown, categories: Categories): OrderedEntry {
  const read = new EntryReader(source)
  const category = categories.get(read.text('category'))
  const keys = read.keys('keys')
  read.keep(
    'place',
    ['searchRange', 'keyRelative', 'nonStoryActivatable'],
    (value, name) => name === 'searchRange' && value === 1000,
  )
  read.keep('place', ['contextConfig'], isPlainContext)
  read.keep('bias', ['loreBiasGroups', 'phraseBiasGroups'], isWithoutPhrases)
  read.keep('group', ['category'])
  if (category !== undefined) keepCategory(read, category)
  const context = read.under('contextConfig')
  return entryOf(read, read.text('displayName') || (keys[0] ?? ''), read.text('text'), {
    keys,
    always: read.flag('forceActivation', false),
    enabled: read.flag('enabled', true) && category?.enabled !== false,
    // 400 is the priority of a new entry in NovelAI.
    order: context.order(['budgetPriority'], 400 / 8, 8),
  })
}

/** The context settings that NovelAI writes into an entry whose defaults were not changed. */
const plainContext: Readonly<Record<string, unknown>> = {
  prefix: '',
  suffix: '\n',
  reservedTokens: 0,
  trimDirection: 'trimBottom',
  insertionType: 'newline',
  maximumTrimType: 'sentence',
  insertionPosition: -1,
}

/** True for a place in the context of which only the priority and the default budget are set. */
function isPlainContext(value: unknown): boolean {
  if (!isRecord(value)) return true
  const { budgetPriority: _, tokenBudget = 1, ...others } = value
  const isPlain = Object.entries(others).every(([name, own]) => plainContext[name] === own)
  // One token stands for "as many as there are"; 2,048 was the default before.
  return isPlain && (tokenBudget === 1 || tokenBudget === 2048)
}

function isWithoutPhrases(groups: unknown): boolean {
  const isEmpty = (group: unknown) =>
    isRecord(group) && Array.isArray(group.phrases) && group.phrases.length === 0
  return Array.isArray(groups) && groups.every(isEmpty)
}

function koboldEntry(source: unknown): OrderedEntry {
  const read = new EntryReader(source)
  const keys = read.keys('key')
  read.keep('group', ['folder'])
  read.keep('other', ['comment', 'use_wpp', 'wpp'])
  const isSelective = read.flag('selective', false)
  return entryOf(read, read.text('title') || read.text('comment') || (keys[0] ?? ''), read.text('content'), {
    keys,
    also: isSelective ? read.anyOf(read.keys('keysecondary')) : [],
    never: read.keys('keyanti'),
    always: read.flag('constant', false),
  })
}

function koboldLite(list: readonly unknown[]): ReadEntries & { format: LoreFormat } {
  return { format: 'koboldai', ...each(list, koboldLiteEntry) }
}

function koboldLiteEntry(source: unknown): OrderedEntry {
  const read = new EntryReader(source)
  // Written as a text there.
  const probability = read.number('probability') ?? Number(read.text('probability') || 100)
  if (probability < 100) read.keep('probability', ['probability'])
  read.keep('group', ['wigroup'])
  const entry = koboldEntry(source)
  return {
    ...entry,
    settings: { ...entry.settings, enabled: !read.flag('widisabled', false) },
    kept: { ...entry.kept, ...read.kept },
    losses: new Set([...entry.losses, ...read.losses]),
  }
}

/** Reads a card as an entry for a person, and the entries of its lorebook. */
function cardEntries(data: Record<string, unknown>): ReadEntries {
  const read = new EntryReader(data)
  const name = read.text('name').slice(0, limitNameChars)
  const texts = ['description', 'personality', 'scenario'].map((field) => read.text(field).trim())
  const named = (text: string) => text.replace(/\{\{char\}\}|<BOT>/gi, () => name)
  read.keep('card', [
    'first_mes',
    'mes_example',
    'system_prompt',
    'post_history_instructions',
    'alternate_greetings',
    'group_only_greetings',
  ])
  read.keep('other', ['creator_notes', 'creator', 'character_version', 'tags'])
  const nickname = read.text('nickname').trim()
  const person = entryOf(read, name, named(texts.filter((text) => text !== '').join('\n\n')), {
    keys: [name, nickname].filter((key) => key !== '' && key.length <= 1_000),
  })
  const lorebook = data.character_book
  const { entries, tooMany } = lorebookEntries(isRecord(lorebook) ? lorebook : {})
  return { entries: [person, ...entries.map((entry) => ({ ...entry, text: named(entry.text) }))], tooMany }
}

function lorebookEntries(lorebook: Record<string, unknown>): ReadEntries {
  const { entries } = lorebook
  return each(Array.isArray(entries) ? entries : [], cardLorebookEntry)
}

function cardLorebookEntry(source: unknown): OrderedEntry {
  const read = new EntryReader(source)
  const isRegex = read.flag('use_regex', false)
  const keys = read.keys('keys', isRegex)
  const second = read.flag('selective', false) ? read.keys('secondary_keys', isRegex) : []
  read.keep('place', ['position'], (value) => value === 'before_char')
  read.keep('case', ['case_sensitive'])
  const extensions = read.under('extensions')
  const { also, never } = secondaryOf(read, second, extensions)
  const own = ownSettings(read)
  if ((extensions.number('probability') ?? 100) < 100) extensions.keep('probability', ['probability'])
  extensions.keep('timing', timing, isDefaultOfTavern)
  extensions.keep('place', ['depth', 'role'], isDefaultOfTavern)
  extensions.keep('group', groups, isDefaultOfTavern)
  Object.assign(read.kept, extensions.kept)
  for (const loss of extensions.losses) read.losses.add(loss)
  const content = read.text('content')
  const text = content.replace(/^(?:@@[^\n]*(?:\n|$))+/, '')
  if (text !== content) read.losses.add('decorators')
  return entryOf(read, read.text('name') || read.text('comment') || (keys[0] ?? ''), text, {
    keys,
    also,
    never: never.length > 0 ? never : own.never,
    range: own.range,
    always: read.flag('constant', false),
    enabled: read.flag('enabled', true),
    order: read.order(['priority', 'insertion_order'], 50),
  })
}

function entryOf(
  { kept, losses }: EntryReader,
  name: string,
  text: string,
  { order = null, ...settings }: Partial<LoreSettings> & { order?: LorebookOrder | null },
): OrderedEntry {
  return { name: name.trim(), text, settings: LoreSettings.parse(settings), kept, losses, order }
}

await answerThread(moduleUrl, readLorebook)

import { Document, isMap, isScalar, parseDocument } from 'yaml'
import { z } from 'zod'
import { type EpisodeRange, type LoreProblem, LoreSettings } from '../../shared/domain/lore/lore.ts'

/** A file's front matter and the text behind it. Shape: `yaml` is null where there is none. Units: UTF-16. */
export type FrontMatter = { yaml: string | null; text: string; bodyFrom: number }

/** Longest front matter that is read: its parser takes quadratic time. */
const limitYamlChars = 64_000
const fence = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/

/** Splits the front matter from a text with LF line ends. */
export function splitFrontMatter(source: string): FrontMatter {
  const match = fence.exec(source)
  if (match === null) return { yaml: null, text: source, bodyFrom: 0 }
  return { yaml: match[1] ?? '', text: source.slice(match[0].length), bodyFrom: match[0].length }
}

/** A list of keys. A single word counts as a list of one; numbers and dates are accepted as keys, too. */
const Keys = z.preprocess(
  (value) => (value === null ? [] : Array.isArray(value) ? value : [value]).map(String),
  LoreSettings.shape.keys,
)
const Written = z.object({
  keys: Keys.optional(),
  also: Keys.optional(),
  never: Keys.optional(),
  always: z.boolean().optional(),
  priority: z.number().optional(),
  enabled: z.boolean().optional(),
  range: z.union([z.string(), z.number(), z.array(z.number()).min(1).max(2)]).nullish(),
})

export type ReadSettings = { settings: LoreSettings; isEntry: boolean; problem: LoreProblem | null }

/** Reads the settings of a lore entry. A file whose front matter cannot be read is an entry with a problem. */
export function readSettings(yaml: string): ReadSettings {
  const failed = (reason: string): ReadSettings => ({
    settings: LoreSettings.parse({ enabled: false }),
    isEntry: /^(keys|always)[ \t]*:/m.test(yaml.slice(0, limitYamlChars)),
    problem: { kind: 'front-matter', reason },
  })
  if (yaml.length > limitYamlChars) return failed(`${yaml.length} > ${limitYamlChars}`)
  try {
    return readYaml(yaml, failed)
  } catch (cause) {
    // Too many levels or aliases, or values without a text.
    return failed(cause instanceof Error ? cause.message : '')
  }
}

/** Parses front matter as a document; `error` where that fails. */
function parsed(yaml: string): { document: Document.Parsed; error: string | null } {
  // The parser compares each name with all before it.
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) return { document, error: error.message.split('\n')[0] ?? '' }
  const { contents } = document
  const names = isMap(contents) ? contents.items.map(({ key }) => (isScalar(key) ? key.value : key)) : []
  return { document, error: new Set(names).size === names.length ? null : 'Map keys must be unique' }
}

function readYaml(yaml: string, failed: (reason: string) => ReadSettings): ReadSettings {
  const { document, error } = parsed(yaml)
  if (error !== null) return failed(error)
  const written: unknown = document.toJS({ maxAliasCount: 100 })
  const has = (name: string) => Object.hasOwn(written as object, name)
  if (written === null || typeof written !== 'object' || !(has('keys') || has('always'))) {
    return { settings: LoreSettings.parse({}), isEntry: false, problem: null }
  }
  const read = Written.safeParse(written)
  if (!read.success) return failed(z.prettifyError(read.error).split('\n').join(' '))
  const { range, priority, ...rest } = read.data
  const settings = LoreSettings.safeParse({
    ...rest,
    range: rangeOf(range),
    ...(priority === undefined ? {} : { priority: Math.max(0, Math.min(100, Math.round(priority))) }),
  })
  if (!settings.success) return failed(z.prettifyError(settings.error).split('\n').join(' '))
  return { settings: settings.data, isEntry: true, problem: null }
}

/** Reads a range: `3-7`, `3-`, `-7`, `3` or `[3, 7]`. */
function rangeOf(written: z.infer<typeof Written>['range']): unknown {
  if (written === null || written === undefined) return null
  if (Array.isArray(written)) return { from: written[0] ?? null, to: written[1] ?? null }
  if (typeof written === 'number') return { from: written, to: written }
  const match = /^(\d*)(?:\s*([-–~〜～])\s*(\d*))?$/.exec(written.normalize('NFKC').trim())
  if (match === null) return written
  const from = match[1] === '' ? null : Number(match[1])
  if (match[2] === undefined) return { from, to: from }
  return { from, to: match[3] === '' || match[3] === undefined ? null : Number(match[3]) }
}

const defaults = LoreSettings.parse({})

/**
 * Writes settings into a file's front matter. Comments, order and fields of other programs stay; settings with their
 * default value are left out. Front matter that cannot be read stays as text, below the new one.
 */
export function writeSettings(source: string, patch: Partial<LoreSettings>): string {
  const { yaml, text } = splitFrontMatter(source)
  const document = yaml === null ? new Document({}) : documentOf(yaml)
  return document === null
    ? withSettings(new Document({}), patch, source)
    : withSettings(document, patch, text)
}

/** Returns the front matter as a document; null where settings cannot be written into it without a loss. */
function documentOf(yaml: string): Document | null {
  if (yaml.length > limitYamlChars) return null
  const { document, error } = parsed(yaml)
  if (error !== null) return null
  const { contents } = document as Document
  if (contents === null) return Object.assign(document as Document, { contents: document.createNode({}) })
  return isMap(contents) ? document : null
}

/** Returns a file with this text and this front matter, into which settings are written. */
export function withSettings(document: Document, patch: Partial<LoreSettings>, text: string): string {
  for (const [name, value] of Object.entries(patch)) {
    const isDefault = JSON.stringify(value) === JSON.stringify(defaults[name as keyof LoreSettings])
    // Without the field `keys` the file would no longer be an entry.
    if (isDefault && name !== 'keys') document.delete(name)
    else document.set(name, name === 'range' ? rangeText(value as EpisodeRange) : value)
  }
  const written = document.toString({ lineWidth: 0, flowCollectionPadding: false })
  return `---\n${written.endsWith('\n') ? written : `${written}\n`}---\n${text}`
}

function rangeText({ from, to }: EpisodeRange): string {
  return `${from ?? ''}-${to ?? ''}`
}

import { Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type ChapterRange, type LoreProblem, LoreSettings } from '../../shared/domain/lore/lore.ts'

/** A file's front matter and the text behind it. Shape: `yaml` is null where there is none. Units: UTF-16. */
export type FrontMatter = { yaml: string | null; text: string; bodyFrom: number }

/** Longest front matter that is read: its parser takes quadratic time. */
export const limitYamlChars = 64_000
/** Most of a line that is quoted as the reason of a problem. Units: UTF-16. */
const limitReasonChars = 120
const fence = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/
/** A line that gives a value to a name without blanks, or to a quoted one. */
const namedValue = /^(?:"[^"]*"|'[^']*'|[^\s"'#:[\]{},&*!|>%@`?-][^\s:]*)[ \t]*:(?:[ \t]|$)/
/** A line with a name that makes a file an entry, or tells what a summary was made from. */
const ownName = /^(?:keys|always|made-from|sample|episodes)[ \t]*:/m

/**
 * Splits the front matter from a text with LF line ends. Only a block that holds a YAML mapping, or nothing but
 * comments, counts; prose between two thematic breaks is text. A block that cannot be read counts where it plainly is
 * meant as a mapping: it begins with a name and a value, or has one of our own names.
 */
export function splitFrontMatter(source: string): FrontMatter {
  const match = fence.exec(source)
  const yaml = match?.[1] ?? ''
  if (match === null || !isMapping(yaml)) return { yaml: null, text: source, bodyFrom: 0 }
  return { yaml, text: source.slice(match[0].length), bodyFrom: match[0].length }
}

/** Returns what stands between two thematic breaks at the beginning of a text, front matter or not; empty: nothing. */
export function fencedBlock(source: string): string {
  return fence.exec(source)?.[1] ?? ''
}

function isMapping(yaml: string): boolean {
  const head = yaml.slice(0, limitYamlChars)
  const first = head.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'))
  if (first === undefined || namedValue.test(first) || ownName.test(head)) return true
  if (yaml.length > limitYamlChars) return false
  try {
    const { document, error } = parsed(yaml)
    return error === null && isMap(document.contents)
  } catch {
    // Too many levels.
    return false
  }
}

/** A list of keys. A single word counts as a list of one; numbers and dates are accepted as keys, too. */
const Keys = z.preprocess(
  (value) => (value === null ? [] : Array.isArray(value) ? value : [value]).map(String),
  LoreSettings.shape.keys,
)
const Range = z.union([z.string(), z.number(), z.array(z.number()).min(1).max(2)]).nullish()
const Written = z.object({
  keys: Keys.optional(),
  also: Keys.optional(),
  never: Keys.optional(),
  always: z.boolean().optional(),
  priority: z
    .number()
    .transform((written) => Math.max(0, Math.min(100, Math.round(written))))
    .optional(),
  enabled: z.boolean().optional(),
  range: Range.transform(rangeOf).pipe(LoreSettings.shape.range),
})

export type ReadSettings = { settings: LoreSettings; isEntry: boolean; problem: LoreProblem | null }
type FrontMatterProblem = Extract<LoreProblem, { kind: 'front-matter' }>

/**
 * Reads the settings of a lore entry. A file whose front matter cannot be read is an entry with a problem, kept out of
 * prompts, since its keys may be in what cannot be read. Where only some values cannot be read, the settings have the
 * others, and the default values for these.
 */
export function readSettings(yaml: string): ReadSettings {
  const failed = (reason: string, line: number | null = null): ReadSettings => ({
    settings: LoreSettings.parse({ enabled: false }),
    isEntry: true,
    problem: { kind: 'front-matter', reason, line, fields: [] },
  })
  if (yaml.length > limitYamlChars) return failed(`${yaml.length} > ${limitYamlChars}`)
  try {
    return readYaml(yaml, failed)
  } catch (cause) {
    // Too many levels or aliases, or values without a text.
    return failed(cause instanceof Error ? cause.message : '')
  }
}

/** Parses front matter as a document. `error`: why that fails. `lineOf`: the line of the file of a place in `yaml`. */
function parsed(yaml: string) {
  const lineCounter = new LineCounter()
  // The parser compares each name with all before it.
  const options = { logLevel: 'silent', uniqueKeys: false, prettyErrors: false, lineCounter } as const
  const document: Document.Parsed = parseDocument(yaml, options)
  // One line above is the fence.
  const lineOf = (at: number) => lineCounter.linePos(at).line + 1
  const [error] = document.errors
  const known = new Set<unknown>()
  if (error !== undefined)
    return { document, lineOf, error: { reason: error.message, line: lineOf(error.pos[0]) } }
  const { contents } = document
  for (const { key } of isMap(contents) ? contents.items : []) {
    const name = isScalar(key) ? key.value : key
    if (known.has(name))
      return { document, lineOf, error: { reason: 'Map keys must be unique', line: lineOf(startOf(key)) } }
    known.add(name)
  }
  return { document, lineOf, error: null }
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

function readYaml(yaml: string, failed: (reason: string, line: number) => ReadSettings): ReadSettings {
  const { document, lineOf, error } = parsed(yaml)
  if (error !== null) return failed(error.reason, error.line)
  const written: unknown = document.toJS({ maxAliasCount: 100 })
  const has = (name: string) => Object.hasOwn(written as object, name)
  if (written === null || typeof written !== 'object' || !(has('keys') || has('always')))
    return { settings: LoreSettings.parse({}), isEntry: false, problem: null }
  const fields = new Set(Written.safeParse(written).error?.issues.map(({ path }) => String(path[0])))
  const readable = Object.fromEntries(Object.entries(written).filter(([name]) => !fields.has(name)))
  const settings = LoreSettings.parse(Written.parse(readable))
  if (fields.size === 0) return { settings, isEntry: true, problem: null }
  const { contents } = document
  const items = isMap(contents) ? contents.items : []
  const first = items.find(({ key }) => isScalar(key) && fields.has(String(key.value)))
  const line = lineOf(startOf(first?.key))
  const problem: FrontMatterProblem = {
    kind: 'front-matter',
    reason: (yaml.split('\n')[line - 2] ?? '').trim().slice(0, limitReasonChars),
    line,
    fields: [...fields],
  }
  return { settings: { ...settings, enabled: false }, isEntry: true, problem }
}

/** Reads a range: `3-7`, `3-`, `-7`, `3` or `[3, 7]`. */
function rangeOf(written: z.infer<typeof Range>): unknown {
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
 * Writes settings into a file's front matter. Comments, order and fields of other programs stay, and so does what the
 * file has for a setting that does not change, such as a value that cannot be read; settings with their default value
 * are left out. Front matter that cannot be read stays as text, below the new one.
 */
export function writeSettings(source: string, patch: Partial<LoreSettings>): string {
  const { yaml, text } = splitFrontMatter(source)
  const document = yaml === null ? new Document({}) : documentOf(yaml)
  if (yaml === null || document === null) return withSettings(new Document({}), patch, source)
  const { settings } = readSettings(yaml)
  // A file without `keys` may become an entry by them only.
  const isKept = ([name, value]: [string, unknown]) =>
    (name !== 'keys' || document.has(name)) &&
    JSON.stringify(value) === JSON.stringify(settings[name as keyof LoreSettings])
  const changed = Object.fromEntries(Object.entries(patch).filter((each) => !isKept(each)))
  return withSettings(document, changed, text)
}

/** Returns front matter as a document; null where settings cannot be written into it without a loss. */
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
    else document.set(name, name === 'range' ? rangeText(value as ChapterRange) : value)
  }
  const written = document.toString({ lineWidth: 0, flowCollectionPadding: false })
  return `---\n${written.endsWith('\n') ? written : `${written}\n`}---\n${text}`
}

function rangeText({ from, to }: ChapterRange): string {
  return `${from ?? ''}-${to ?? ''}`
}

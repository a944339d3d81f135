import { z } from 'zod'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { isTooDeep, parseJson } from '../../../shared/text/json.ts'
import type { ModelEvents, Prompt, PromptSegment } from '../client/model-client.ts'
import { bracketed } from './marker-forms.ts'
import { wireText } from './request-check.ts'

/** A word joiner: no width, no line break, another token. */
const joiner = '\u2060'
const unreadable = '\ufffd'

/**
 * Control tokens of models that have none of the known shapes: `words` stand in angle brackets, alone or closing, with
 * or without a number; `brackets` in square ones; `texts` as they are. Data in `resources/control-strings.json`.
 */
export const ControlTable = z.object({
  words: z.array(z.string().min(1)),
  brackets: z.array(z.string().min(1)),
  texts: z.array(z.string().min(2)),
})
export type ControlTable = z.infer<typeof ControlTable>

const noTable: ControlTable = { words: [], brackets: [], texts: [] }

/**
 * The shapes that control tokens have, whichever model they are of: a bar inside of a bracket; an angle bracket
 * with a name of several words joined by `_` or `:`. None holds a joiner, so that what was broken is not found again.
 */
const shapes = [
  '<[|｜][^\\n<>\\u2060]{0,80}?[|｜]?>',
  '<[^\\s<>|｜\\u2060]{1,80}[|｜]>',
  '\\[[|｜][^\\n\\[\\]\\u2060]{0,80}?[|｜]?\\]',
  '\\[[^\\s\\[\\]|｜\\u2060]{1,80}[|｜]\\]',
  // Types of C end in `_t`, and its scopes have two colons: code is full of them.
  '<(?![\\w:]{1,80}_t>)/?[A-Za-z0-9.-]{0,40}(?:(?:[_▁]+|:(?!:))[A-Za-z0-9.-]{1,40}){1,12}>',
].map(widened)
const begun = new RegExp(`(.)${joiner}`, 'gsu')
/** First characters of the usual control strings, as `folded` returns them. */
const usualStarts = new Set('<>[]#~|')
/** Characters a reader may ignore: marks, controls, those without width. Neither the joiner nor those between words. */
const ignorable = /(?![\u2060\t\n\r])[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Cc}]/gu
const mostRounds = 20

export type ControlStrings = RegExp

/** Matches strings that could open or close a turn: known shapes, the table's, the templates' markers and stops. */
export function controlStringsOf(
  templates: Iterable<TemplatePack>,
  { words, brackets, texts }: ControlTable = noTable,
): ControlStrings {
  const markers = new Set(texts)
  for (const { wrapper, stops, turnEnd = '' } of templates) {
    for (const text of [wrapper, turnEnd, ...stops]) {
      for (const [marker] of text.matchAll(bracketed)) markers.add(marker)
    }
    for (const stop of stops) {
      if (stop.search(bracketed) === -1) markers.add(stop.trim())
    }
  }
  const named = (open: string, close: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [widened(`${open}/?(?:${names.map(escaped).join('|')})\\d{0,6}${close}`)]
  return new RegExp(
    [
      ...shapes,
      ...named('<', '>', words),
      ...named('\\[', '\\]', brackets),
      ...[...markers].filter((marker) => marker !== '').map((marker) => widened(escaped(marker))),
    ].join('|'),
    'gu',
  )
}

/** Maximum number of a model's own tokens: more would make the search in each text slow. */
const mostOwn = 1_000

/**
 * Adds the control tokens that a server gives for its model, and those that its tokenizer has shown to be control
 * tokens, whatever they look like.
 */
export function withOwnTokens(
  controls: ControlStrings,
  own: readonly string[],
  shown: readonly string[] = [],
): ControlStrings {
  // Vocabularies have thousands of tokens that the shapes match already.
  const known = new RegExp(`^(?:${controls.source})$`, 'u')
  // A template also has words: a single character, or a word of prose, would break every text.
  const usable = own
    .filter((text) => text.length > 2 && /[^\p{L}\p{N}\s]/u.test(text) && text.length <= 100)
    .filter((text) => !known.test(text))
    .slice(0, mostOwn)
  const more = [...usable.map((text) => widened(escaped(text))), ...shown.map(escaped)]
  return more.length === 0 ? controls : new RegExp([controls.source, ...more].join('|'), 'gu')
}

/**
 * Makes text of a user, a tool, a file or a model safe to send: control strings in it look the same, but are not read
 * as tokens. Servers read them as tokens anywhere in a text, so that a file could speak as the user.
 *
 * Shape: the last step before sending. Characters that a server ignores (NUL, halves of characters) are removed first,
 * so that no control string forms after the check. Strings that are control strings only to a reader that folds wide
 * and accented letters, or ignores characters without width, are broken, too.
 * Source: llama-server as measured, `/tokenize`: special tokens in the writer's text are parsed.
 */
export function breakControlStrings(text: string, controls: ControlStrings): string {
  let safe = wireText(text)
  // A string that overlaps a match is found in the next round; each round breaks at least one.
  for (let round = 0; round < mostRounds; round += 1) {
    const before = safe
    safe = before.replace(controls, (marker) => {
      const [first = ''] = marker
      // A single character cannot be broken: it is replaced by the sign for an unreadable one.
      return first === marker ? unreadable : `${first}${joiner}${marker.slice(first.length)}`
    })
    if (safe === before) safe = breakFolded(safe, controls)
    if (safe === before) return safe
  }
  return safe.replace(controls, unreadable)
}

/** Returns a text as the most lenient reader would read it. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(ignorable, '')
}

/** Breaks strings that `folded` would turn into control strings. */
function breakFolded(text: string, controls: ControlStrings): string {
  const whole = folded(text)
  if (whole === text || whole.search(controls) < 0) return text
  const characters = [...text]
  /** For each unit of the folded text, the index of the character that it comes from. */
  const origins: number[] = []
  let plain = ''
  for (const [index, character] of characters.entries()) {
    const units = folded(character)
    plain += units
    for (let unit = 0; unit < units.length; unit += 1) origins.push(index)
  }
  for (const { 0: marker, index } of plain.matchAll(controls)) {
    const first = origins[index] ?? 0
    const [start = ''] = marker
    const isOne = start === marker || origins[index + start.length] === first
    characters[first] = isOne ? unreadable : `${characters[first]}${joiner}`
  }
  return characters.join('')
}

/** Returns a prompt in which only its markers are control tokens; adjacent pieces are checked as one text. */
export function breakInPrompt(prompt: Prompt, controls: ControlStrings): Prompt {
  const joined: PromptSegment[] = []
  for (const segment of prompt) {
    const last = joined.at(-1)
    if (last !== undefined && last.isSpecial === segment.isSpecial)
      joined[joined.length - 1] = { ...last, text: last.text + segment.text }
    else joined.push(segment)
  }
  return joined.map(({ text, isSpecial }) => ({
    text: isSpecial ? wireText(text) : breakControlStrings(text, controls),
    isSpecial,
  }))
}

/** Returns the texts of a prompt other than markers, as they would be sent. */
export function wireTexts(prompt: Prompt, controls: ControlStrings): string[] {
  return breakInPrompt(prompt, controls).flatMap(({ text, isSpecial }) => (isSpecial ? [] : [text]))
}

/**
 * Does the same for JSON, whose escapes a server decodes: every text in it is broken, names of fields too.
 *
 * Shape: JSON without control strings keeps its bytes; other text is broken as text. JSON that is nested too deeply is
 * sent as an empty object.
 */
export function breakInJson(json: string, controls: ControlStrings): string {
  if (isTooDeep(json)) return '{}'
  const plain = breakControlStrings(json, controls)
  const value = parseJson(wireText(json))
  if (value === undefined) return plain
  const before = JSON.stringify(value)
  const after = JSON.stringify(breakInValue(value, controls))
  return after === before ? plain : after
}

/** Does the same for a value that is sent as JSON: a tool as another program declares it, or a schema. */
export function breakInValue(value: unknown, controls: ControlStrings): unknown {
  if (typeof value === 'string') return breakControlStrings(value, controls)
  if (Array.isArray(value)) return value.map((item) => breakInValue(item, controls))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, item]) => [breakControlStrings(key, controls), breakInValue(item, controls)]),
  )
}

/** Returns the characters after which `breakControlStrings` breaks these markers; those of all others are known. */
export function startsOf(markers: readonly string[]): ReadonlySet<string> {
  return new Set(markers.map(([first = '']) => first))
}

/** Undoes the breaking in text that a model wrote, so that a copied file gets its own bytes back. */
export function mendControlStrings(text: string, starts: ReadonlySet<string> = usualStarts): string {
  return text.replace(begun, (both, first: string) =>
    usualStarts.has(folded(first)) || starts.has(first) ? first : both,
  )
}

/** Undoes the breaking in all events of a model. `starts`: for control tokens that were found meanwhile. */
export async function* mendEvents(
  events: ModelEvents,
  starts: () => ReadonlySet<string> = () => usualStarts,
): ModelEvents {
  let last = ''
  const mended = (text: string): string => mendControlStrings(text, starts())
  for await (const event of events) {
    if (event.type === 'text') {
      // The joiner may come in another event than its bracket.
      const text = mended(last + event.text).slice(last.length)
      last = [...event.text].at(-1) ?? last
      if (text !== '') yield { type: 'text', text }
    } else if (event.type === 'replace') yield { ...event, text: mended(event.text) }
    else if (event.type === 'tool-call') {
      const { call } = event
      yield { ...event, call: { ...call, arguments: mended(call.arguments) } }
    } else yield event
  }
}

/** Extends a pattern by the wide forms of brackets, which a tokenizer may normalise. */
function widened(pattern: string): string {
  let isInClass = false
  return [...pattern.matchAll(/\\.|[^\\]/gu)]
    .map(([part]) => {
      if (part === '[') isInClass = true
      if (part === ']') isInClass = false
      if (isInClass) return part === '<' ? '<＜﹤' : part === '>' ? '>＞﹥' : part
      if (part === '<') return '[<＜﹤]'
      if (part === '>') return '[>＞﹥]'
      if (part === '\\[') return '[\\[［]'
      if (part === '\\]') return '[\\]］]'
      if (part === '/') return '[/／]'
      if (part === '\\|') return '[|｜]'
      return part
    })
    .join('')
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

import { hash } from 'node:crypto'
import { isAppError } from '../../../shared/errors.ts'
import { isTooDeep, parseJson } from '../../../shared/text/json.ts'
import { candidatesIn, isWholeForm } from './marker-forms.ts'

/** Maximum length of a control token. Units: UTF-16 code units. */
export const longestMarker = 250
/** A line, or a part of a very long one, with the line ends after it. */
const piece = /[^\n]{1,2000}\n*|\n+/g
/** Maximum number of pieces remembered as checked. Above it the memory is cleared, and all are checked again. */
const limitSeen = 100_000
/** Maximum number of rounds: breaking one control token may uncover another, but not more often than this. */
const limitRounds = 20

/**
 * Finds, by the server's tokenizer, all control tokens in `text`, whatever they look like. Null: the server cannot tell
 * them. Errors: `model/…`.
 */
export type FindMarkers = (text: string, signal: AbortSignal) => Promise<readonly string[] | null>

export type MarkerCheck = ReturnType<typeof createMarkerCheck>

/**
 * Learns the control tokens of one model from the texts that it is to be sent.
 *
 * Shape: each part of a text is checked once. Where the server does not answer, strings in the form of a control token
 * count as control tokens in this request, and the text is checked again with the next. A server that cannot tell is
 * asked once, and the form decides from then on.
 */
export function createMarkerCheck(find: FindMarkers) {
  const seen = new Set<string>()
  const found = new Set<string>()
  let canTell = true

  /** Returns all control tokens known so far. `textsWith`: the texts as they would be sent, these broken in them. */
  async function learn(
    textsWith: (markers: readonly string[]) => Iterable<string>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const byForm = new Set<string>()
    const known = () => [...new Set([...found, ...byForm])]
    for (let round = 0; round < limitRounds; round += 1) {
      const keys = new Set<string>()
      const unseen = [...textsWith(known())].flatMap((text) => unseenOf(text, keys)).join('\n')
      if (unseen === '') break
      const markers = canTell ? await ask(unseen, signal) : null
      if (markers === null) {
        for (const each of candidatesIn(unseen)) byForm.add(each)
        break
      }
      if (seen.size + keys.size > limitSeen) seen.clear()
      for (const key of keys) seen.add(key)
      // Control tokens may overlap: breaking one can leave another whole, so the broken text is checked again.
      if (markers.every((marker) => found.has(marker))) break
      for (const marker of markers) found.add(marker)
    }
    return known()
  }

  /**
   * Returns the parts of `text` that were not checked yet. Each begins `longestMarker` units earlier, since a control
   * token may begin in text that was checked and end in text that was not.
   */
  function unseenOf(text: string, keys: Set<string>): string[] {
    const whole = hash('sha1', text, 'base64')
    if (text === '' || seen.has(whole)) return []
    keys.add(whole)
    const parts: string[] = []
    let begun = -1
    for (const { 0: line, index } of text.matchAll(piece)) {
      const from = Math.max(0, index - longestMarker)
      const key = hash('sha1', text.slice(from, index + line.length), 'base64')
      if (seen.has(key)) {
        if (begun >= 0) parts.push(text.slice(begun, index))
        begun = -1
      } else {
        keys.add(key)
        if (begun < 0) begun = from
      }
    }
    if (begun >= 0) parts.push(text.slice(begun))
    if (parts.length === 0) seen.add(whole)
    return parts.map((part) => part.toWellFormed())
  }

  /** Returns the control tokens; null where the server did not answer. */
  async function ask(text: string, signal: AbortSignal): Promise<readonly string[] | null> {
    try {
      const markers = await find(text, signal)
      canTell = markers !== null
      return markers
    } catch (error) {
      signal.throwIfAborted()
      // A server without this path says so; one that does not answer is asked again.
      if (isAppError(error, 'model/bad-response') || isAppError(error, 'model/server-error')) canTell = false
      return null
    }
  }

  return { learn }
}

/** For servers without a tokenizer: strings in the form of a control token count, except for elements of HTML. */
export const markersByForm: FindMarkers = async (text) => candidatesIn(text).filter(isWholeForm)

/** Yields every text in a part of a request, names of fields and texts inside of JSON strings included. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value
    if (/^\s*[[{]/.test(value) && !isTooDeep(value)) yield* textsIn(parseJson(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* textsIn(item)
    }
  }
}

/** Returns the tokens of a text, with special tokens parsed or not; tokens that are not valid text are left out. */
type ReadPieces = (
  text: string,
  isSpecial: boolean,
  signal: AbortSignal,
) => Promise<readonly { id: number; text: string }[]>

/**
 * Finds control tokens by a tokenizer that can parse special tokens or not: one that appears only when it does counts.
 *
 * Shape: a token that was found without parsing them is not one, so that a text is read without parsing only where it
 * has a new token. A control token also moves the borders of its neighbours: the differing tokens are read once more,
 * each by itself; if none differs there, all of them count. Tokens that a model's maker added by hand are parsed in
 * every text: of these, those in the form of a control token count, and elements of HTML do not.
 */
export function markersByPieces(read: ReadPieces): FindMarkers {
  const textIds = new Set<number>()

  async function moreOften(text: string, signal: AbortSignal): Promise<string[]> {
    const special = await read(text, true, signal)
    if (special.every(({ id }) => textIds.has(id))) return []
    const plain = await read(text, false, signal)
    const others = Map.groupBy(plain, ({ id }) => id)
    for (const [id, [first]] of others) {
      // A token for unknown text may appear for any text.
      if (!textIds.has(id) && candidatesIn(first?.text ?? '').length === 0) textIds.add(id)
    }
    const found = [...Map.groupBy(special, ({ id }) => id)]
      .filter(([id, all]) => isWholeForm(all[0]?.text ?? '') || all.length > (others.get(id)?.length ?? 0))
      .map(([, [first]]) => first?.text ?? '')
    return [...new Set(found)].filter((each) => each.trim() !== '' && text.includes(each))
  }

  return async (text, signal) => {
    const differing = await moreOften(text, signal)
    if (differing.length < 2) return differing
    const alone = new Set(await moreOften(differing.join('\n'), signal))
    const sure = differing.filter((each) => alone.has(each))
    return sure.length > 0 ? sure : differing
  }
}

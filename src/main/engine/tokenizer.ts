import type { LlamaModel, Token } from 'node-llama-cpp'
import { isNameInSigns } from '../models/completion/marker-forms.ts'

type Segment = { text: string; isSpecial: boolean }

/**
 * Returns the prompt's tokens, with exactly one BOS where the model wants one. Markers become control tokens; the
 * author's text never does, even if it looks like a marker.
 */
export function tokenizePrompt(model: LlamaModel, segments: readonly Segment[]): Token[] {
  const tokens = tokenizePieces(model, segments)
  const { bos, shouldPrependBosToken } = model.tokens
  if (shouldPrependBosToken && bos !== null && tokens[0] !== bos) tokens.unshift(bos)
  // Something must be evaluated before anything can be sampled.
  if (tokens.length === 0) tokens.push(bos ?? model.tokens.nl ?? model.tokenize('\n')[0] ?? (0 as Token))
  return tokens
}

export function tokenizePieces(model: LlamaModel, segments: readonly Segment[]): Token[] {
  return merged(segments).flatMap(({ text, isSpecial }) =>
    isSpecial ? model.tokenize(text, true) : tokenizeText(model, text),
  )
}

const addedByModel = new WeakMap<LlamaModel, RegExp | null>()

/** Tokenizes text. Cuts it inside user-defined tokens, which the tokenizer would otherwise recognise in any text. */
function tokenizeText(model: LlamaModel, text: string): Token[] {
  const added = addedMarkers(model)
  const starts = added === null ? [] : [...text.matchAll(added)].map(({ index }) => index)
  const cuts = starts.map((start) => start + String.fromCodePoint(text.codePointAt(start) ?? 0).length)
  const parts = [0, ...cuts].map((from, at) => text.slice(from, cuts[at]))
  return parts.flatMap((part, at) => model.tokenize(part, false, at === 0 ? undefined : 'trimLeadingSpace'))
}

/** Returns an expression that matches where a user-defined token begins; null where the model has none. */
function addedMarkers(model: LlamaModel): RegExp | null {
  const known = addedByModel.get(model)
  if (known !== undefined) return known
  const texts: string[] = []
  for (const token of model.iterateAllTokens()) {
    if (!model.getTokenAttributes(token).userDefined) continue
    const text = model.detokenize([token], true)
    if (isNameInSigns(text)) texts.push(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  }
  const pattern = texts.length === 0 ? null : new RegExp(`(?=${texts.join('|')})`, 'gu')
  addedByModel.set(model, pattern)
  return pattern
}

/** Joins neighbours of one kind: a boundary would yield tokens that the model has not seen in such a place. */
function merged(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = []
  for (const segment of segments) {
    const last = result.at(-1)
    if (segment.text === '') continue
    if (last?.isSpecial === segment.isSpecial) last.text += segment.text
    else result.push({ ...segment })
  }
  return result
}

/** Returns the stop sequences that are one control token: these print as nothing, so that no text would show them. */
export function singleTokens(model: LlamaModel, stops: readonly string[]): ReadonlySet<Token> {
  const single = stops.map((stop) => model.tokenize(stop, true)).filter((tokens) => tokens.length === 1)
  return new Set(single.flat().filter((token) => model.isSpecialToken(token)))
}

/** Maximum number of tokens of one character; a longer sequence is not an unfinished character. */
export const longestCharacterTokens = 6
const contextLength = 8
const broken = /\ufffd{2,}/g

/** Turns tokens into text as they come; the bytes of an unfinished character wait for the rest. */
export function tokenText(model: LlamaModel, prompt: readonly Token[]): (token: Token) => string {
  let before = prompt.slice(-contextLength)
  let waiting: Token[] = []
  return (token) => {
    waiting.push(token)
    // Invalid bytes are shown as one replacement character, not as one each.
    const text = model.detokenize(waiting, false, before).replace(broken, '\ufffd')
    const isUnfinished = text.endsWith('\ufffd') && waiting.length < longestCharacterTokens
    if (isUnfinished) return ''
    before = [...before, ...waiting].slice(-contextLength)
    waiting = []
    return text
  }
}

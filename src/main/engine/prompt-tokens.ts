import { type LlamaModel, type Token, TokenBias } from 'node-llama-cpp'
import { isNameInSigns } from '../models/completion/marker-forms.ts'

type Segment = { text: string; isSpecial: boolean }

/**
 * The prompt's tokens with BOS once, where the model wants one. Markers become control tokens; the author's
 * text never does, whatever it looks like.
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

/** Tokens that the model's maker added by hand are read in every text, so that a text is cut inside of them. */
function tokenizeText(model: LlamaModel, text: string): Token[] {
  const added = addedMarkers(model)
  const starts = added === null ? [] : [...text.matchAll(added)].map(({ index }) => index)
  const cuts = starts.map((start) => start + String.fromCodePoint(text.codePointAt(start) ?? 0).length)
  const parts = [0, ...cuts].map((from, at) => text.slice(from, cuts[at]))
  return parts.flatMap((part, at) => model.tokenize(part, false, at === 0 ? undefined : 'trimLeadingSpace'))
}

/** Where one of them begins; null where the model has none. */
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

/** Neighbours of one kind are one stretch of text: a seam would cost tokens that the model never saw there. */
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

/** Stop sequences that are one control token: they print as nothing, so no text would show them. */
export function singleTokens(model: LlamaModel, stops: readonly string[]): ReadonlySet<Token> {
  const single = stops.map((stop) => model.tokenize(stop, true)).filter((tokens) => tokens.length === 1)
  return new Set(single.flat().filter((token) => model.isSpecialToken(token)))
}

const endsByModel = new WeakMap<LlamaModel, TokenBias>()

/** A bias that keeps the model from ending by itself. */
export function bannedEnds(model: LlamaModel): TokenBias {
  const known = endsByModel.get(model)
  if (known !== undefined) return known
  const bias = TokenBias.for(model)
  const biases = biasesOf(bias)
  for (const token of model.iterateAllTokens()) {
    if (model.isEogToken(token)) biases.set(token, Number.NEGATIVE_INFINITY)
  }
  endsByModel.set(model, bias)
  return bias
}

/** A bias for the tokens of texts, besides what `base` says; −∞ keeps them from being written. */
export function biasedTexts(
  model: LlamaModel,
  texts: readonly { text: string; bias: number }[],
  base: TokenBias | (() => TokenBias) | undefined,
): TokenBias {
  const bias = TokenBias.for(model)
  const biases = biasesOf(bias)
  const before = typeof base === 'function' ? base() : base
  if (before !== undefined) for (const [token, value] of biasesOf(before)) biases.set(token, value)
  for (const { text, bias: value } of texts) {
    // Some vocabularies put a space before a text; within a sentence there is none.
    for (const tokens of [model.tokenize(text, false), model.tokenize(text, false, 'trimLeadingSpace')]) {
      for (const token of tokens) biases.set(token, value)
    }
  }
  return bias
}

/** Its own `set` leaves out the tokens that end a text; of this pinned version only the map takes them. */
function biasesOf(bias: TokenBias): Map<unknown, unknown> {
  const biases: unknown = Reflect.get(bias, '_biases')
  if (!(biases instanceof Map)) throw new Error('node-llama-cpp keeps its token biases elsewhere')
  return biases
}

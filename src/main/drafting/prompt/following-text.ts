import { indexCodePoints } from '../../../shared/text/code-points.ts'
import { readManuscript } from '../../../shared/text/manuscript/manuscript-marks.ts'
import { isBlank, normaliseLineEnds } from '../../../shared/text/white-space.ts'
import type { ModelClient, Prompt } from '../../models/client/model-client.ts'

/** The text after the place of a continuation. Shape: `fim` where the model has fill-in tokens. */
export type FollowingText = { text: string; fim?: FimTokens }

/** Most of the following text that a prompt holds. Units: code points. */
const limitChars = 1_000
const roomShare = 1 / 8

/**
 * Reads the text after a place for a prompt: without comments, up to `@endpoint`. Empty where only white space follows.
 */
export function readFollowing(source: string): string {
  const { text: following } = readManuscript(normaliseLineEnds(source))
  return isBlank(following) ? '' : following
}

/**
 * Cuts the text that follows to its share of the prompt's room, after a sentence where one ends there.
 *
 * Units: tokens; `countTokens` may estimate, since the whole prompt is counted anyway.
 */
export function cutFollowing(following: string, roomTokens: number, countTokens: (text: string) => number) {
  const points = indexCodePoints(following)
  const limitTokens = Math.max(16, Math.floor(roomTokens * roomShare))
  let chars = Math.min(points.length, limitChars)
  const firstChars = (count: number) => following.slice(0, points.toUtf16(count))
  for (let tokens = countTokens(firstChars(chars)); tokens > limitTokens && chars > 1; ) {
    chars = Math.max(1, Math.min(chars - 1, Math.floor((chars * limitTokens) / tokens)))
    tokens = countTokens(firstChars(chars))
  }
  const cut = firstChars(chars)
  if (chars === points.length) return cut.trimEnd()
  const ends = [...cut.matchAll(/[。！？!?.][」』）)"”]*|\n/g)]
  const end = ends.at(-1)
  return (end === undefined ? cut : cut.slice(0, end.index + end[0].length)).trimEnd()
}

/** The control tokens between which a model fills in: the text before, the text after, what it writes. */
export type FimTokens = { prefix: string; suffix: string; middle: string }

/**
 * The tokens of the families of models that were taught to fill in.
 *
 * Source: llama.cpp, `llama-vocab.cpp`, where the `fim_…` tokens of a GGUF file are found by these texts.
 */
const families: readonly FimTokens[] = [
  { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' },
  { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' },
  { prefix: '<fim-prefix>', suffix: '<fim-suffix>', middle: '<fim-middle>' },
  { prefix: '<|code_prefix|>', suffix: '<|code_suffix|>', middle: '<|code_middle|>' },
  { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' },
]

/**
 * Finds a model's tokens for filling in, by its own tokenizer: each must be one token. Undefined where it has none, or
 * where nothing counts tokens.
 *
 * Errors: `tokens/unreachable`.
 */
export async function findFimTokens({ countTokens }: Pick<ModelClient, 'countTokens'>, signal: AbortSignal) {
  if (countTokens === null) return undefined
  for (const family of families) {
    let isWhole = true
    for (const text of [family.prefix, family.suffix, family.middle]) {
      const prompt: Prompt = [{ text, isSpecial: true }]
      isWhole = (await countTokens(prompt, signal, { isPiece: true })) === 1
      if (!isWhole) break
    }
    if (isWhole) return family
  }
  return undefined
}

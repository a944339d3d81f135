import { z } from 'zod'
import { vllmTokens } from '../client/openai-facts.ts'
import type { OpenaiHttp } from '../client/openai-http.ts'
import { type FindMarkers, markersByPieces } from '../completion/marker-check.ts'
import { candidatesIn } from '../completion/marker-forms.ts'

/** Tokens with their text; a piece that is not valid UTF-8 comes as bytes. */
const Pieces = z.object({ tokens: z.array(z.object({ id: z.int(), piece: z.unknown() })) })

/** Finds control tokens by llama.cpp's tokenizer. */
export function llamaMarkers(http: OpenaiHttp, model: string): FindMarkers {
  return markersByPieces(async (content, isSpecial, signal) => {
    const body = { model, content, add_special: false, parse_special: isSpecial, with_pieces: true }
    const { tokens } = await http.post('/tokenize', body, Pieces, signal)
    return tokens.flatMap(({ id, piece }) => (typeof piece === 'string' ? [{ id, text: piece }] : []))
  })
}

/**
 * Finds control tokens by vLLM's tokenizer, which always parses special tokens and does not say which they are.
 *
 * Shape: a string in the form of a control token that is one token counts. Of other tokens those with a Latin letter
 * are tested: a word of the vocabulary is another token after a space, a control token is not. Japanese and Chinese
 * words are the same token after a space, so that a control token of these letters alone is known only by its form.
 */
export function vllmMarkers(http: OpenaiHttp, model: string): FindMarkers {
  const asked = new Set<string>()
  const tokens = async (prompt: string, signal: AbortSignal): Promise<string[] | null> =>
    (await vllmTokens(http, model, prompt, signal)).token_strs ?? null
  const staysWhole = async (words: readonly string[], signal: AbortSignal): Promise<string[]> => {
    if (words.length === 0) return []
    const read = new Set(await tokens(words.map((word) => ` ${word}`).join('\n'), signal))
    return words.filter((word) => read.has(word))
  }
  return async (text, signal) => {
    const told = await tokens(text, signal)
    if (told === null) return null
    const whole = new Set(told.filter((each) => each.length > 1 && text.includes(each)))
    const found = candidatesIn(text).filter((each) => whole.has(each))
    const words = [...whole].filter(
      (each) => /[A-Za-z]/.test(each) && !asked.has(each) && !found.includes(each),
    )
    // All words are tested together first; the few that are left may be parts of others and are tested one by one.
    for (const word of await staysWhole(words, signal)) {
      if ((await staysWhole([word], signal)).length > 0) found.push(word)
    }
    for (const word of words) asked.add(word)
    return found
  }
}

import { z } from 'zod'
import type { Prompt, ToldWords } from '../client/model-client.ts'
import { wireTexts } from '../completion/break-control-strings.ts'
import { mostWords, type TokenChance, wholeWords } from '../completion/next-words.ts'
import { wirePrompt } from './openai-payload.ts'
import type { OpenaiServer } from './openai-server.ts'

/** Number of tokens that are enough to complete a begun character. */
const completingTokens = 4

const Chance = z.object({ id: z.int(), bytes: z.array(z.int().min(0).max(255)), logprob: z.number() })
const Told = z.object({
  completion_probabilities: z.array(z.object({ top_logprobs: z.array(Chance) })).min(1),
  timings: z.object({ cache_n: z.int().default(0), prompt_n: z.int() }),
})
const Completed = z.object({ content: z.string() })

/**
 * Asks llama.cpp for one token with the probabilities of the likeliest, before any sampler.
 *
 * Source: llama-server's README, `POST /completion`, `n_probs`.
 */
export async function llamaNextWords(
  server: OpenaiServer,
  prompt: Prompt,
  signal: AbortSignal,
  waitMs: number,
): Promise<ToldWords> {
  await server.learnMarkers((controls) => wireTexts(prompt, controls), signal)
  const text = wirePrompt(prompt, server.frame.controls)
  const common = { temperature: 0, cache_prompt: true, stream: false }
  const body = { ...common, prompt: text, n_predict: 1, n_probs: mostWords }
  const answer = await server.http.post('/completion', body, Told, signal, waitMs)
  const { completion_probabilities: told, timings } = answer
  const chances = (told[0]?.top_logprobs ?? []).map(
    ({ logprob, ...chance }): TokenChance => ({ ...chance, share: Math.exp(logprob) }),
  )
  const words = await wholeWords(chances, async ({ id, bytes }) => {
    const more = { ...common, prompt: [text, id], n_predict: completingTokens }
    const { content } = await server.http.post('/completion', more, Completed, signal, waitMs)
    return firstCharacter(bytes, content)
  })
  return {
    words,
    limit: mostWords,
    untold: 0,
    promptTokens: timings.cache_n + timings.prompt_n,
    reusedTokens: timings.cache_n,
  }
}

/** Returns the character that `bytes` begin, where the server's text has it as a whole. */
function firstCharacter(bytes: readonly number[], text: string): string | null {
  const [first = ''] = [...text.replace(/^\ufffd+/, '')]
  const encoded = new TextEncoder().encode(first)
  return bytes.length > 0 && bytes.every((byte, i) => encoded[i] === byte) ? first : null
}

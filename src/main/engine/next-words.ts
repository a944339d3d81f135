import type { LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp'
import { mostWords, type TokenChance, wholeWords } from '../models/completion/next-words.ts'
import type { PromptReading } from './prompt-reading.ts'
import { longestCharacterTokens, tokenText } from './tokenizer.ts'

/** Sampler settings that leave the model's own probabilities as they are. */
const plain = { temperature: 1, topK: 0, topP: 1, minP: 0, seed: 1 }

/** Processes a prompt and returns the words that the model would most likely write next. */
export async function nextWords(
  input: { model: LlamaModel; reading: PromptReading; sequence: LlamaContextSequence; prompt: Token[] },
  signal: AbortSignal,
) {
  const { model, reading, sequence, prompt } = input
  const meter = sequence.tokenMeter.getState()
  const allButLast = prompt.slice(0, -1)
  await sequence.adaptStateToTokens(allButLast, false)
  for await (const _ of reading.read(sequence, allButLast, signal)) signal.throwIfAborted()
  signal.throwIfAborted()
  const chances = await likeliest(model, sequence, prompt)
  // The meter leaves out the last one, whose evaluation is counted with the output.
  const readTokens = sequence.tokenMeter.diff(meter).usedInputTokens + 1
  const words = await wholeWords(chances, async ({ id }) => {
    signal.throwIfAborted()
    const spoken = tokenText(model, prompt)
    let text = spoken(id as Token)
    let count = 1
    await sequence.adaptStateToTokens(prompt, false)
    for await (const token of sequence.evaluate([id as Token], { temperature: 0 })) {
      text = spoken(token)
      count += 1
      if (text !== '' || count >= longestCharacterTokens) break
    }
    const [character = ''] = [...text]
    return character === '\ufffd' ? null : character
  })
  return { words, limit: mostWords, promptTokens: prompt.length, readTokens }
}

async function likeliest(
  model: LlamaModel,
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
): Promise<TokenChance[]> {
  const told = sequence.evaluateWithMetadata(prompt.slice(-1), { probabilities: true }, plain)
  for await (const { probabilities } of told) {
    const chances: TokenChance[] = []
    for (const [token, share] of probabilities) {
      if (chances.length === mostWords) break
      if (model.isEogToken(token) || model.isSpecialToken(token)) continue
      const text = model.detokenize([token], false, prompt.slice(-8))
      // An invalid byte represents an incomplete character.
      const bytes = text.includes('\ufffd') ? [0xff] : [...new TextEncoder().encode(text)]
      chances.push({ id: token, bytes, share })
    }
    return chances
  }
  return []
}

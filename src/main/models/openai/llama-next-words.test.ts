import { expect, it } from 'vitest'
import { openaiClientOf } from '../../../../tests/fakes/rigs/models/openai-rig.ts'
import { createFakeLlamaServer } from '../../../../tests/fakes/servers/fake-llama-server.ts'
import { plainPrompt } from '../client/model-client.ts'

const never = new AbortController().signal

async function serve(flavour: 'llama.cpp' | 'other') {
  return openaiClientOf(await createFakeLlamaServer({}), { model: 'smol.gguf', flavour })
}

it('tells the likeliest words, and what of the prompt was not read again', async () => {
  const client = await serve('llama.cpp')
  const ask = (text: string) => client.nextWords({ prompt: plainPrompt(text), conversation: 'c' }, never)
  const first = await ask('The rain fell on the roof of the old house')
  expect(first.limit).toBe(10)
  expect(first.words.length).toBeGreaterThan(0)
  for (const { text, share } of first.words) {
    expect(text).not.toContain('\ufffd')
    expect(share).toBeGreaterThan(0)
  }
  expect(first.words.map(({ share }) => share)).toEqual(
    first.words.map(({ share }) => share).toSorted((a, b) => b - a),
  )
  const again = await ask('The rain fell on the roof of the old house and')
  expect(again.reusedTokens).toBeGreaterThanOrEqual((first.promptTokens ?? 0) - 1)
})

it('says that other servers tell none', async () => {
  const client = await serve('other')
  const asked = client.nextWords({ prompt: plainPrompt('a'), conversation: 'c' }, never)
  await expect(asked).rejects.toThrow('model/no-probabilities')
})

it('tells with its answer how likely each piece was, where it is asked', async () => {
  const client = await serve('llama.cpp')
  const request = {
    prompt: plainPrompt('The rain fell'),
    sampler: { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 },
    maxTokens: 20,
    stops: [],
    seed: 1,
  }
  const answer = async (tellsChances: boolean) => {
    const said = { text: '', chances: '', shares: [] as number[] }
    for await (const event of client.complete({ ...request, tellsChances }, never)) {
      if (event.type === 'text') said.text += event.text
      if (event.type !== 'chance') continue
      said.chances += event.text
      said.shares.push(event.share)
    }
    return said
  }
  const told = await answer(true)
  expect(told.chances).toBe(told.text)
  expect(told.shares.length).toBeGreaterThan(1)
  expect(new Set(told.shares)).toEqual(new Set([Math.exp(-0.25)]))
  expect((await answer(false)).shares).toEqual([])
  expect(client.capabilities.tellsChances).toBe(true)
})

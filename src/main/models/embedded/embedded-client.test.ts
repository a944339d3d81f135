import { expect, it } from 'vitest'
import { templatePack } from '../../../../tests/fakes/rigs/fake-draft.ts'
import type { EngineProcess } from '../../engine/engine-process.ts'
import { systemClock } from '../../platform/clock.ts'
import { plainPrompt } from '../client/model-client.ts'
import { createEmbeddedClient } from './embedded-client.ts'

it('ends a request that is under way as by a stop when another model is chosen', async () => {
  const engine = {
    state: 'ready',
    async *complete(_request: unknown, signal: AbortSignal) {
      yield { type: 'text', text: '途中' }
      if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done))
      yield { type: 'done', stopReason: 'aborted', promptTokens: 1, readTokens: 1, completionTokens: 1 }
    },
    dispose: async () => undefined,
  }
  const client = createEmbeddedClient(
    { clock: systemClock, engine: engine as unknown as EngineProcess },
    { template: templatePack('plain'), contextTokens: undefined },
  )
  const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
  const request = { prompt: plainPrompt('雨'), sampler, maxTokens: 10, stops: [], seed: 1 }
  const seen: unknown[] = []
  for await (const event of client.complete(request, new AbortController().signal)) {
    seen.push(event.type === 'done' ? event : event.type)
    if (event.type === 'text') void client.dispose()
  }
  expect(seen.at(-1)).toEqual({ type: 'done', stopReason: 'aborted' })
})

it('asks an engine that crashed for its model without starting it again', async () => {
  let revivals = 0
  const engine = {
    revive: () => void revivals++,
    model: async () => ({ modelName: 'm', contextTokens: 1024 }),
  }
  const client = createEmbeddedClient(
    { clock: systemClock, engine: engine as unknown as EngineProcess },
    { template: templatePack('plain'), contextTokens: undefined },
  )
  await client.describe(new AbortController().signal)
  expect(revivals).toBe(0)
  client.revive()
  expect(revivals).toBe(1)
})

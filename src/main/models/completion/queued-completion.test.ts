import { describe, expect, it } from 'vitest'
import type { CompletionRequest, ModelEvent, Priority } from '../client/model-client.ts'
import { inTurn } from './queued-completion.ts'
import { RequestQueue } from './request-queue.ts'

const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const never = new AbortController().signal

function request(priority: Priority): Omit<CompletionRequest, 'prompt'> {
  return { sampler, maxTokens: 1, stops: [], seed: 1, priority }
}

async function all(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

/** Yields nothing until it is stopped, and nothing after that. */
async function* silent(signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
  yield { type: 'phase', phase: 'reading', progress: null }
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

async function* quick(): AsyncGenerator<ModelEvent, void, void> {
  yield { type: 'done', stopReason: 'stop' }
}

describe('a completion in its turn', () => {
  it('ends as stopped, once, also where the engine says nothing more', async () => {
    const stop = new AbortController()
    const running = all(inTurn(new RequestQueue(), request('foreground'), stop.signal, silent))
    setImmediate(() => stop.abort())
    expect((await running).filter(({ type }) => type === 'done')).toEqual([
      { type: 'done', stopReason: 'aborted' },
    ])
    expect(await all(inTurn(new RequestQueue(), request('foreground'), never, quick))).toEqual([
      { type: 'done', stopReason: 'stop' },
    ])
  })

  it('gives way in the background as soon as somebody at the front waits', async () => {
    const queue = new RequestQueue()
    const background = all(inTurn(queue, request('background'), never, silent))
    await new Promise((resolve) => setImmediate(resolve))
    const front = await all(inTurn(queue, request('foreground'), never, quick))
    expect(front.at(-1)).toEqual({ type: 'done', stopReason: 'stop' })
    expect((await background).at(-1)).toEqual({ type: 'done', stopReason: 'aborted' })
    expect(queue.isBusy).toBe(false)
  })
})

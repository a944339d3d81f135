import { describe, expect, it } from 'vitest'
import type { CompletionRequest, ModelEvent, Priority } from '../client/model-client.ts'
import { inTurn, RequestQueue } from './request-queue.ts'

const never = new AbortController().signal

describe('RequestQueue', () => {
  it('runs one at a time, foreground first, else in order', async () => {
    const queue = new RequestQueue()
    const order: string[] = []
    let running = 0
    const job = (name: string, priority: 'foreground' | 'background') =>
      queue.run(priority, never, async () => {
        running += 1
        expect(running).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(name)
        running -= 1
      })
    await Promise.all([
      job('first', 'background'),
      job('b1', 'background'),
      job('b2', 'background'),
      job('f1', 'foreground'),
      job('f2', 'foreground'),
    ])
    expect(order).toEqual(['first', 'f1', 'f2', 'b1', 'b2'])
    expect(queue.isBusy).toBe(false)
  })

  it('asks what runs in the background to give way to the foreground, and to nothing else', async () => {
    const queue = new RequestQueue()
    let asked = 0
    const preempt = () => {
      asked += 1
    }
    const leave = await queue.enter('background', never, preempt)
    const behind = queue.enter('background', never, preempt)
    expect(asked).toBe(0)
    const front = queue.enter('foreground', never, preempt)
    expect(asked).toBe(1)
    leave()
    const leaveFront = await front
    const second = queue.enter('foreground', never)
    expect(asked).toBe(1)
    leaveFront()
    const leaveSecond = await second
    leaveSecond()
    const leaveBehind = await behind
    leaveBehind()
    expect(queue.isBusy).toBe(false)
  })

  it('takes a waiting request out when its signal fires, and the rest goes on', async () => {
    const queue = new RequestQueue()
    const leave = await queue.enter('foreground', never)
    const stop = new AbortController()
    const stopped = queue.enter('foreground', stop.signal)
    const second = queue.enter('foreground', never)
    stop.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    leave()
    leave()
    const leaveSecond = await second
    expect(queue.isBusy).toBe(true)
    leaveSecond()
    expect(queue.isBusy).toBe(false)
  })

  it('runs requests of one group at the same time, behind a foreground that waits already', async () => {
    const queue = new RequestQueue()
    const leaveFirst = await queue.enter('foreground', never, undefined, 'takes')
    const leaveSecond = await queue.enter('foreground', never, undefined, 'takes')
    expect(queue.mustWait('takes')).toBe(false)
    expect(queue.mustWait('others')).toBe(true)
    const order: string[] = []
    const other = queue.run('foreground', never, async () => void order.push('other'))
    expect(queue.mustWait('takes')).toBe(true)
    const late = ['third', 'fourth'].map((name) =>
      queue.enter('foreground', never, undefined, 'takes').then((leave) => {
        order.push(name)
        return leave
      }),
    )
    leaveFirst()
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual([])
    leaveSecond()
    const leaves = await Promise.all(late)
    expect(order).toEqual(['other', 'third', 'fourth'])
    const behind = queue.run('background', never, async () => void order.push('behind'))
    leaves[0]?.()
    expect(queue.isBusy).toBe(true)
    leaves[1]?.()
    await Promise.all([other, behind])
    expect(queue.isBusy).toBe(false)
  })
})

const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }

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

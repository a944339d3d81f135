import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../../tests/fakes/eventually.ts'
import { memoryPorts } from '../../../tests/fakes/memory-ports.ts'
import { call, stream } from '../contract/method.ts'
import type { RequestFrame, ResponseFrame } from '../wire.ts'
import { type ServeOptions, serve } from './serve.ts'

const contract = {
  'test.call': call(z.object({}), z.unknown()),
  'test.items': stream(z.object({}), z.unknown()),
  'test.deltas': stream(z.object({}), z.string(), { merge: (older, newer) => older + newer }),
}

const log: ServeOptions['log'] = { write: () => undefined, bug: () => 'logged' }

type TestApi = Parameters<typeof serve<typeof contract>>[2]

/** A host with these services, and a window that is played by the test. */
function open(services: Partial<TestApi>, options: Partial<ServeOptions> = {}) {
  const { client, host } = memoryPorts()
  const answers: ResponseFrame[] = []
  client.onFrame((frame) => answers.push(frame))
  const unused = () => {
    throw new Error('not used here')
  }
  const api: TestApi = { 'test.call': unused, 'test.items': unused, 'test.deltas': unused, ...services }
  const served = serve(host, contract, api, { log, ...options })
  const send = (frame: RequestFrame) => client.send(frame)
  return { answers, served, send }
}

const bug = (id: number, logId = 'logged') => ({ t: 'failed', id, error: { code: 'internal/bug', logId } })

describe('serve', () => {
  it('answers even when the log fails', async () => {
    const broken = {
      write: () => undefined,
      bug: () => {
        throw new Error('disk full')
      },
    }
    const { answers, send } = open({}, { log: broken })
    send({ t: 'call', id: 1, method: 'test.call', input: {} })
    send({ t: 'stream', id: 2, method: 'test.items', input: {} })
    await eventually(() => expect(answers).toEqual([bug(1, 'not-logged'), bug(2, 'not-logged')]))
  })

  it('makes a bug of a value that JSON cannot carry', async () => {
    const { answers, send, served } = open({
      'test.call': async () => 1n,
      'test.items': async function* () {
        yield 1
        yield { big: 1n }
      },
    })
    send({ t: 'call', id: 1, method: 'test.call', input: {} })
    send({ t: 'stream', id: 2, method: 'test.items', input: {} })
    await eventually(() => expect(answers).toHaveLength(3))
    expect(answers).toEqual(expect.arrayContaining([bug(1), { t: 'item', id: 2, value: 1 }, bug(2)]))
    expect(served.openCount()).toBe(0)
  })

  it('stops a service whose item is refused, and calls its return()', async () => {
    let isReleased = false
    const { answers, send } = open(
      {
        'test.deltas': async function* () {
          try {
            yield 7 as unknown as string
            yield 'never'
          } finally {
            isReleased = true
          }
        },
      },
      { isOutputChecked: true },
    )
    send({ t: 'stream', id: 1, method: 'test.deltas', input: {} })
    await eventually(() => expect(answers).toEqual([bug(1)]))
    expect(isReleased).toBe(true)
  })

  it('survives a service that fails while it is left', async () => {
    const bugs: unknown[] = []
    const { answers, send } = open(
      {
        'test.items': async function* (_input, { signal }) {
          try {
            yield 1
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
          } finally {
            // biome-ignore lint/correctness/noUnsafeFinally: the failure of a careless service is what is tested
            throw new RangeError('in finally')
          }
        },
      },
      { log: { ...log, bug: (error) => String(bugs.push(error)) } },
    )
    send({ t: 'stream', id: 1, method: 'test.items', input: {} })
    await eventually(() => expect(answers).toHaveLength(1))
    send({ t: 'cancel', id: 1 })
    await eventually(() => expect(answers.at(-1)).toEqual({ t: 'end', id: 1 }))
    await eventually(() => expect(bugs.map(String)).toEqual(['RangeError: in finally']))
  })

  it('sends a burst of deltas as its first, then what came together', async () => {
    const { answers, send } = open({
      'test.deltas': async function* () {
        for (const letter of 'abcdefgh') yield letter
      },
    })
    send({ t: 'stream', id: 1, method: 'test.deltas', input: {} })
    await eventually(() => expect(answers.at(-1)?.t).toBe('end'))
    expect(answers.map((frame) => (frame.t === 'item' ? frame.value : frame.t))).toEqual([
      'a',
      'bcdefgh',
      'end',
    ])
  })

  it('sends a delta that comes alone at once', async () => {
    const gate = Promise.withResolvers<void>()
    const { answers, send } = open({
      'test.deltas': async function* () {
        yield 'alone'
        await gate.promise
      },
    })
    send({ t: 'stream', id: 1, method: 'test.deltas', input: {} })
    await eventually(() => expect(answers).toEqual([{ t: 'item', id: 1, value: 'alone' }]))
    gate.resolve()
    await eventually(() => expect(answers.at(-1)).toEqual({ t: 'end', id: 1 }))
  })

  describe('calls of one connection', () => {
    const calls = (send: (frame: RequestFrame) => void, from: number, to: number): void => {
      for (let id = from; id <= to; id += 1) send({ t: 'call', id, method: 'test.call', input: {} })
    }
    const limits = { runningCalls: 4, callSpacingMs: 60_000 }

    it('begin in their order, so many at a time', async () => {
      const ends: (() => void)[] = []
      const begin = () => new Promise<number>((done) => ends.push(() => done(ends.length)))
      const { send, answers, served } = open({ 'test.call': begin }, { limits })
      calls(send, 1, 10)
      await eventually(() => expect(ends).toHaveLength(4))
      expect(served.openCount()).toBe(10)
      for (let ended = 0; ended < 10; ended += 1) {
        await eventually(() => expect(ends.length).toBeGreaterThan(ended))
        expect(ends.length).toBeLessThanOrEqual(ended + 4)
        ends[ended]?.()
      }
      await eventually(() => expect(answers).toHaveLength(10))
      expect(answers.map((answer) => 'id' in answer && answer.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    })

    it('wait for none that waits for its user', async () => {
      let begun = 0
      const wait = () => {
        begun += 1
        return new Promise(() => undefined)
      }
      const { send } = open({ 'test.call': wait }, { limits: { runningCalls: 4, callSpacingMs: 1 } })
      calls(send, 1, 12)
      await eventually(() => expect(begun).toBe(12))
    })

    it('do not begin once they were left, and leave no room taken', async () => {
      const begun: (() => void)[] = []
      const begin = () => new Promise<null>((done) => begun.push(() => done(null)))
      const { send, answers, served } = open({ 'test.call': begin }, { limits })
      calls(send, 1, 6)
      for (const id of [5, 2]) send({ t: 'cancel', id })
      const aborted = (id: number) => ({ t: 'failed', id, error: { code: 'rpc/aborted' } })
      await eventually(() => expect(answers).toEqual([aborted(5), aborted(2)]))
      expect(begun).toHaveLength(4)
      for (const end of begun) end()
      await eventually(() => expect(begun).toHaveLength(5))
      begun[4]?.()
      await eventually(() => expect(served.openCount()).toBe(0))
    })

    it('give way to those of another, however many wait', async () => {
      const order: string[] = []
      const work = (name: string) => async () => {
        order.push(name)
        await new Promise((done) => setTimeout(done, 0))
        return name
      }
      const [many, one] = [open({ 'test.call': work('many') }), open({ 'test.call': work('one') })]
      calls(many.send, 1, 3_000)
      calls(one.send, 1, 1)
      await eventually(() => expect(one.answers).toHaveLength(1))
      expect(order.indexOf('one')).toBeLessThan(64)
      many.served.dispose()
      one.served.dispose()
    })
  })
})

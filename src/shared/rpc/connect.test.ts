import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryPorts } from '../../../tests/fakes/memory-ports.ts'
import { call, stream } from '../contract/method.ts'
import type { RequestFrame, ResponseFrame } from '../wire.ts'
import { connect } from './connect.ts'

const Item = z.object({ seq: z.number(), text: z.string() })
const Input = z.object({ afterSeq: z.number().optional() })
const contract = {
  'test.call': call(z.object({}), z.string()),
  'test.plain': stream(Input, Item),
  'test.watch': stream(Input, Item, { slowReader: 'snapshot' }),
  'test.deltas': stream(Input, Item, {
    merge: (older, newer) => ({ seq: newer.seq, text: older.text + newer.text }),
  }),
}

/** A client, and a host that the test plays. */
function open() {
  const { client: port, host } = memoryPorts()
  const requests: RequestFrame[] = []
  host.onFrame((frame) => requests.push(frame))
  const client = connect(port, contract, { limits: { bufferBytes: 100 } })
  const send = (frame: unknown) => host.send(frame as ResponseFrame)
  return { client, host, port, requests, send }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
const item = (seq: number, text = 'x'.repeat(40)) => ({ t: 'item', id: 1, value: { seq, text } })

describe('a client', () => {
  it('asks for a stream when it is read, anew for each reader', async () => {
    const { client, requests } = open()
    const items = client['test.plain']({ afterSeq: 3 })
    await settle()
    expect(requests).toEqual([])
    void items[Symbol.asyncIterator]().next()
    void items[Symbol.asyncIterator]().next()
    await settle()
    expect(requests).toEqual([
      { t: 'stream', id: 1, method: 'test.plain', input: { afterSeq: 3 } },
      { t: 'stream', id: 2, method: 'test.plain', input: { afterSeq: 3 } },
    ])
  })

  it('cancels once, however often it is left, and not what has ended', async () => {
    const { client, requests, send } = open()
    const left = client['test.plain']({})[Symbol.asyncIterator]()
    const ended = client['test.plain']({})[Symbol.asyncIterator]()
    const [first, last] = [left.next(), ended.next()]
    await settle()
    send({ t: 'end', id: 2 })
    await left.return?.()
    await left.return?.()
    expect(await first).toEqual({ done: true, value: undefined })
    expect(await last).toEqual({ done: true, value: undefined })
    await ended.return?.()
    await settle()
    expect(requests.filter(({ t }) => t === 'cancel')).toEqual([{ t: 'cancel', id: 1 }])
  })

  it('gives each of several next() its own item', async () => {
    const { client, send } = open()
    const reader = client['test.plain']({})[Symbol.asyncIterator]()
    const steps = [reader.next(), reader.next(), reader.next()]
    await settle()
    for (const seq of [1, 2]) send(item(seq, ''))
    send({ t: 'failed', id: 1, error: { code: 'work/empty' } })
    const results = await Promise.allSettled(steps)
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('drops a stream that nobody reads when its buffer is full', async () => {
    const { client, requests, send } = open()
    const reader = client['test.plain']({})[Symbol.asyncIterator]()
    const first = reader.next()
    await settle()
    for (const seq of [1, 2, 3, 4]) send(item(seq))
    expect(await first).toMatchObject({ value: { seq: 1 } })
    await settle()
    await expect(reader.next()).rejects.toMatchObject({ info: { code: 'rpc/too-slow' } })
    expect(requests.at(-1)).toEqual({ t: 'cancel', id: 1 })
  })

  it('asks for a fresh snapshot when the buffer of a watch is full', async () => {
    const { client, requests, send } = open()
    const reader = client['test.watch']({ afterSeq: 5 })[Symbol.asyncIterator]()
    const first = reader.next()
    await settle()
    for (const seq of [6, 7, 8, 9]) send(item(seq))
    expect(await first).toMatchObject({ value: { seq: 6 } })
    await settle()
    expect(requests.slice(1)).toEqual([
      { t: 'cancel', id: 1 },
      { t: 'stream', id: 2, method: 'test.watch', input: {} },
    ])
    send(item(10))
    send({ t: 'item', id: 2, value: { seq: 9, text: 'snapshot' } })
    expect(await reader.next()).toMatchObject({ value: { seq: 9, text: 'snapshot' } })
  })

  it('merges deltas that nobody has read yet', async () => {
    const { client, send } = open()
    const reader = client['test.deltas']({})[Symbol.asyncIterator]()
    const first = reader.next()
    await settle()
    for (let seq = 1; seq <= 100; seq += 1) send(item(seq, 'd'))
    expect(await first).toMatchObject({ value: { seq: 1, text: 'd' } })
    await settle()
    expect(await reader.next()).toMatchObject({ value: { seq: 100, text: 'd'.repeat(99) } })
  })

  it('takes no notice of frames that mean nothing to it', async () => {
    const { client, send } = open()
    const answer = client['test.call']({})
    await settle()
    for (const junk of [null, 1, {}, { t: 'result' }, { t: 'result', id: 7 }, { t: 'call', id: 1 }])
      send(junk)
    send({ t: 'failed', id: 1, error: { code: 'made/up' } })
    await expect(answer).rejects.toMatchObject({ info: { code: 'internal/bug', logId: 'unreadable-error' } })
  })

  it('does not hang when the host mixes up calls and streams', async () => {
    const { client, send } = open()
    const answer = client['test.call']({})
    const step = client['test.plain']({})[Symbol.asyncIterator]().next()
    await settle()
    send({ t: 'item', id: 1, value: 1 })
    send({ t: 'result', id: 2, value: 1 })
    await expect(answer).rejects.toThrow('An item for the call test.call')
    expect(await step).toEqual({ done: true, value: undefined })
  })
})

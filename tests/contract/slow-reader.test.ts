import { afterEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../fakes/eventually.ts'
import { openConnection, type TestConnection } from './connection.ts'
import type { WatchEvent } from './sample-contract.ts'
import { transports } from './transports.ts'

const text100kB = 'x'.repeat(100_000)
/** Number of items that the kernel's buffers of a real WebSocket may take before the host notices a slow reader. */
const KERNEL_ITEMS = 150

describe.each(transports)('a slow reader $name', (transport) => {
  let connection: TestConnection

  /** `patienceMs`: longer than a busy machine takes where the reader must not be given up. */
  const connect = async (patienceMs: number) => {
    connection = await openConnection(transport, { limits: { patienceMs } })
  }

  afterEach(async () => {
    await connection.link.dispose()
    await eventually(() => expect(connection.service.running()).toBe(0))
  })

  it('is not one who gets more than the buffer in one burst', async () => {
    await connect(60_000)
    let sum = 0
    for await (const { text } of connection.client['sample.flood']({ count: 50, text: text100kB })) {
      sum += text.length
    }
    expect(sum).toBe(5_000_000)
  })

  it('fails with rpc/too-slow, and the service is not asked for more than the buffer holds', async () => {
    await connect(250)
    connection.link.stall()
    const reading = (async () => {
      for await (const _ of connection.client['sample.flood']({ count: 1000, text: text100kB }));
    })()
    const outcome = expect(reading).rejects.toMatchObject({ info: { code: 'rpc/too-slow' } })
    await eventually(() => expect(connection.service.flooded()).toBeGreaterThan(0))
    await eventually(() => expect(connection.service.running()).toBe(0))
    const bufferItems = 12
    expect(connection.service.flooded()).toBeLessThan(bufferItems + KERNEL_ITEMS)
    if (transport.name !== 'WebSocket') expect(connection.service.flooded()).toBeLessThan(bufferItems)
    connection.link.resume()
    await outcome
  })

  it('does not hold up calls', async () => {
    await connect(60_000)
    connection.link.stall()
    const stream = connection.client['sample.flood']({ count: 1000, text: text100kB })
    const reading = stream[Symbol.asyncIterator]().next()
    await eventually(() => expect(connection.service.flooded()).toBeGreaterThan(3))
    connection.link.resume()
    expect(await connection.client['sample.echo']({ value: 'through' })).toBe('through')
    expect(await reading).toEqual({ done: false, value: { seq: 1, text: text100kB } })
  })

  it('gets deltas merged: the whole text in few frames', async () => {
    await connect(60_000)
    const sent = vi.spyOn(connection.link.host, 'send')
    connection.link.stall()
    const reading = (async () => {
      let text = ''
      for await (const delta of connection.client['sample.deltas']({ count: 20_000, text: '継ぎ' })) {
        text += delta.text
      }
      return text
    })()
    await eventually(() => expect(connection.service.flooded()).toBe(20_000))
    connection.link.resume()
    expect(await reading).toBe('継ぎ'.repeat(20_000))
    expect(sent.mock.calls.length).toBeLessThan(200)
  })

  it('gets a fresh snapshot of a watch in place of what was dropped', async () => {
    await connect(250)
    const events: WatchEvent[] = []
    connection.service.add('first')
    const reading = (async () => {
      for await (const event of connection.client['sample.watch']({ afterSeq: 0 })) {
        events.push({ ...event, text: event.text.slice(0, 10) })
        if (event.text === 'last') break
      }
    })()
    await eventually(() => expect(events).toHaveLength(1))

    connection.link.stall()
    for (let index = 0; index < 400; index += 1) connection.service.add(text100kB)
    await eventually(() => expect(connection.service.running()).toBe(0))
    connection.link.resume()
    await eventually(() => expect(events.at(-1)?.type).toBe('snapshot'))
    connection.service.add('last')
    await reading

    expect(connection.service.watched).toEqual([{ afterSeq: 0 }, {}])
    expect(events.slice(-2)).toEqual([
      { type: 'snapshot', seq: 401, text: text100kB.slice(0, 10) },
      { type: 'added', seq: 402, text: 'last' },
    ])
    const before = events.slice(0, -2).map(({ seq }) => seq)
    expect(before).toEqual(before.map((_, index) => index + 1))
    expect(before.length).toBeLessThan(400)
  })
})

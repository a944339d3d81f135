import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/shared/errors.ts'
import { eventually } from '../fakes/eventually.ts'
import { openConnection, type TestConnection } from './connection.ts'
import { transports } from './transports.ts'

async function collect<T>(items: AsyncIterable<T>, into: T[] = []): Promise<T[]> {
  for await (const item of items) into.push(item)
  return into
}

const failed = (code: string, data: Record<string, unknown> = {}) =>
  expect.objectContaining({ info: { code, ...data } })

describe.each(transports)('the contract $name', (transport) => {
  let connection: TestConnection

  beforeEach(async () => {
    connection = await openConnection(transport)
  })

  afterEach(async () => {
    await connection.link.dispose()
    await eventually(() => expect(connection.service.running()).toBe(0))
    expect(connection.served.openCount()).toBe(0)
  })

  it('answers a call with its result', async () => {
    const value = { text: '次へ 😀 \u2028', list: [1, null, { deep: true }] }
    expect(await connection.client['sample.echo']({ value })).toEqual(value)
  })

  it('fills in the defaults of an input before the service sees it', async () => {
    expect(await connection.client['sample.echo']({ value: 1, note: 'given' })).toEqual([1, 'given'])
    expect(await connection.client['sample.echo']({ value: 1 })).toBe(1)
  })

  it('keeps answers apart', async () => {
    const values = Array.from({ length: 50 }, (_, index) => index)
    const answers = values.map((value) => connection.client['sample.echo']({ value }))
    expect(await Promise.all(answers)).toEqual(values)
  })

  it('carries an AppError with its data', async () => {
    const answer = connection.client['sample.fail']({ path: 'chapter 1.txt' })
    await expect(answer).rejects.toBeInstanceOf(AppError)
    await expect(answer).rejects.toEqual(failed('file/not-found', { path: 'chapter 1.txt' }))
    expect(connection.log.bugs).toEqual([])
  })

  it('masks a bug behind the id of its log entry', async () => {
    await expect(connection.client['sample.bug']({})).rejects.toEqual(
      failed('internal/bug', { logId: 'bug-1' }),
    )
    expect(connection.log.bugs).toEqual([
      { error: new TypeError('the manuscript says: secret'), where: 'sample.bug' },
    ])
  })

  it('refuses an input that the contract does not allow', async () => {
    const input = { path: 7 } as unknown as { path: string }
    const answer = connection.client['sample.fail'](input)
    await expect(answer).rejects.toMatchObject({ info: { code: 'rpc/bad-input', method: 'sample.fail' } })
    await expect(answer).rejects.toMatchObject({ info: { issues: [expect.stringMatching(/^path: /)] } })
    const items = collect(connection.client['sample.count']({ to: 1.5 }))
    await expect(items).rejects.toMatchObject({ info: { code: 'rpc/bad-input', method: 'sample.count' } })
  })

  it('catches a service that answers with something else than it promised', async () => {
    await expect(connection.client['sample.lie']({})).rejects.toMatchObject({
      info: { code: 'internal/bug' },
    })
    await expect(connection.client['sample.date']({})).rejects.toMatchObject({
      info: { code: 'internal/bug' },
    })
    expect(connection.log.bugs.map(({ error }) => String(error))).toEqual([
      expect.stringContaining('sample.lie broke its contract: at: '),
      'Error: sample.date answered with something that is not JSON: $.at',
    ])
  })

  it('streams items in order and ends', async () => {
    const items = await collect(connection.client['sample.count']({ to: 1000 }))
    expect(items).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
  })

  it('delivers what came before a failure in mid-stream', async () => {
    const items: number[] = []
    const reading = collect(connection.client['sample.count']({ to: 9, failAt: 4 }), items)
    await expect(reading).rejects.toEqual(failed('model/cut', { address: 'sample' }))
    expect(items).toEqual([1, 2, 3])
  })

  it('stops a service without an end when its reader leaves', async () => {
    for await (const item of connection.client['sample.forever']({})) if (item === 3) break
    await eventually(() => expect(connection.service.running()).toBe(0))
    expect(connection.served.openCount()).toBe(0)
    expect(await connection.client['sample.echo']({ value: 'still there' })).toBe('still there')
  })

  it('aborts a call: the caller hears rpc/aborted, the service its signal', async () => {
    const controller = new AbortController()
    const answer = connection.client['sample.wait']({}, { signal: controller.signal })
    await eventually(() => expect(connection.service.running()).toBe(1))
    controller.abort()
    await expect(answer).rejects.toEqual(failed('rpc/aborted'))
    await eventually(() => expect(connection.service.running()).toBe(0))
    expect(connection.log.bugs).toEqual([])
  })

  it('does not wait for a service that is deaf to its signal', async () => {
    const controller = new AbortController()
    const answer = connection.client['sample.deaf']({}, { signal: controller.signal })
    await eventually(() => expect(connection.service.running()).toBe(1))
    controller.abort()
    await expect(answer).rejects.toEqual(failed('rpc/aborted'))
    await eventually(() => expect(connection.served.openCount()).toBe(0))
    connection.service.wakeDeaf()
  })

  it('asks nothing of the host with a signal that is aborted already', async () => {
    const { signal } = { signal: AbortSignal.abort() }
    await expect(connection.client['sample.wait']({}, { signal })).rejects.toEqual(failed('rpc/aborted'))
    expect(await collect(connection.client['sample.watch']({}, { signal }))).toEqual([])
    await connection.client['sample.echo']({ value: null })
    expect(connection.service.watched).toEqual([])
  })

  it('ends a stream quietly when its signal aborts', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    connection.service.add('a')
    for await (const { text } of connection.client['sample.watch']({}, { signal: controller.signal })) {
      seen.push(text)
      setTimeout(() => controller.abort(), 5)
    }
    expect(seen).toEqual(['a'])
  })

  it('fails all that is open with rpc/closed when the connection is lost, and all after that', async () => {
    const call = connection.client['sample.wait']({})
    const stream = collect(connection.client['sample.watch']({}))
    await eventually(() => expect(connection.service.running()).toBe(2))
    connection.link.cut()
    await expect(call).rejects.toEqual(failed('rpc/closed'))
    await expect(stream).rejects.toEqual(failed('rpc/closed'))
    await expect(connection.client['sample.echo']({ value: 1 })).rejects.toEqual(failed('rpc/closed'))
    await expect(collect(connection.client['sample.count']({ to: 1 }))).rejects.toEqual(failed('rpc/closed'))
    await eventually(() => expect(connection.service.running()).toBe(0))
    expect(connection.log.bugs).toEqual([])
  })

  it('fails all that is open when the host stops serving', async () => {
    const call = connection.client['sample.wait']({})
    const stream = collect(connection.client['sample.watch']({}))
    await eventually(() => expect(connection.service.running()).toBe(2))
    connection.served.dispose()
    await expect(call).rejects.toEqual(failed('rpc/closed'))
    await expect(stream).rejects.toEqual(failed('rpc/closed'))
  })

  it('watches on after a reconnect from the last event that was seen', async () => {
    connection.service.add('once ')
    let lastSeq: number | undefined
    const texts: string[] = []
    const first = (async () => {
      for await (const event of connection.client['sample.watch']({})) {
        texts.push(event.text)
        lastSeq = event.seq
      }
    })()
    await eventually(() => expect(texts).toEqual(['once ']))
    connection.service.add('upon ')
    await eventually(() => expect(lastSeq).toBe(2))
    connection.link.cut()
    await expect(first).rejects.toEqual(failed('rpc/closed'))
    connection.service.add('a ')
    connection.service.add('time')

    const next = await openConnection(transport, { service: connection.service })
    for await (const event of next.client['sample.watch']({ afterSeq: lastSeq })) {
      texts.push(event.text)
      if (event.seq === 4) break
    }
    expect(texts).toEqual(['once ', 'upon ', 'a ', 'time'])
    await next.link.dispose()
  })

  it('survives frames that are none, and answers what can be answered', async () => {
    const { client, host } = connection.link
    const answers: unknown[] = []
    const send = (frame: unknown) => client.send(frame as never)
    client.onFrame((frame) => answers.push(frame))
    for (const junk of [null, 7, 'call', [], {}, { t: 'call' }, { t: 'result', id: 1 }]) send(junk)
    for (const id of [-1, 1.5, '1', null, 2 ** 60]) send({ t: 'call', id, method: 'sample.echo' })
    send({ t: 'cancel', id: 99 })
    send({ t: 'call', id: 1 })
    send({ t: 'call', id: 2, method: '__proto__', input: {} })
    send({ t: 'call', id: 3, method: 'constructor', input: {} })
    send({ t: 'call', id: 4, method: 'sample.count', input: { to: 1 } })
    send({ t: 'call', id: 5, method: 'sample.echo', input: { value: 'fine' } })
    await eventually(() => expect(answers).toHaveLength(5))
    const unknown = (id: number, method: string) => ({
      t: 'failed',
      id,
      error: { code: 'rpc/unknown-method', method },
    })
    expect(answers).toEqual([
      { t: 'failed', id: 1, error: { code: 'rpc/bad-input', method: '', issues: ['method'] } },
      unknown(2, '__proto__'),
      unknown(3, 'constructor'),
      unknown(4, 'sample.count'),
      { t: 'result', id: 5, value: 'fine' },
    ])
    expect(host.bufferedBytes()).toBeTypeOf('number')
  })

  it('answers an id once, whoever uses it twice', async () => {
    const { client } = connection.link
    const answers: unknown[] = []
    client.onFrame((frame) => answers.push(frame))
    client.send({ t: 'call', id: 1, method: 'sample.wait', input: {} })
    client.send({ t: 'call', id: 1, method: 'sample.echo', input: { value: 'impostor' } })
    client.send({ t: 'cancel', id: 1 })
    client.send({ t: 'cancel', id: 1 })
    client.send({ t: 'call', id: 2, method: 'sample.echo', input: { value: 'last' } })
    await eventually(() => expect(answers).toHaveLength(2))
    expect(answers).toEqual([
      { t: 'failed', id: 1, error: { code: 'rpc/aborted' } },
      { t: 'result', id: 2, value: 'last' },
    ])
    expect(connection.log.events).toEqual(['rpc.duplicate-id'])
  })

  it('rejects an input that JSON cannot carry, and sends nothing', async () => {
    const value = { big: 1n } as unknown as string
    await expect(connection.client['sample.echo']({ value })).rejects.toBeInstanceOf(TypeError)
    expect(await connection.client['sample.echo']({ value: 1 })).toBe(1)
  })
})

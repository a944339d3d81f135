import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { listFolder } from '../../src/main/platform/files/folder-listing.ts'
import { hostContract } from '../../src/shared/contract/host.ts'
import { REQUEST_LIMITS } from '../../src/shared/rpc/limits.ts'
import { serve } from '../../src/shared/rpc/serve.ts'
import type { RequestFrame, ResponseFrame } from '../../src/shared/wire.ts'
import { tempFolder } from '../fakes/disks/temp-folder.ts'
import { eventually } from '../fakes/eventually.ts'
import { silentLog as log } from '../fakes/silent-log.ts'
import { openConnection, type TestConnection } from './connection.ts'
import { transports } from './transports.ts'

/** `TSUGI_SOAK` asks for more. */
const attempts = process.env.TSUGI_SOAK === undefined ? 10_000 : 200_000

describe.each(transports)('requests that stay open $name', (transport) => {
  let connection: TestConnection
  const received: ResponseFrame[] = []

  const begin = async () => {
    received.length = 0
    connection = await openConnection(transport)
    connection.link.client.onFrame((frame) => received.push(frame))
  }
  const send = (frame: RequestFrame) => connection.link.client.send(frame)
  const failures = () => received.filter((frame) => frame.t === 'failed')

  afterEach(async () => {
    await connection.link.dispose()
    await eventually(() => expect(connection.service.running()).toBe(0))
  })

  it('are limited for streams, and one that ends makes room for another', async () => {
    await begin()
    const limit = REQUEST_LIMITS.openStreams
    for (let id = 0; id <= limit; id += 1) send({ t: 'stream', id, method: 'sample.watch', input: {} })
    await eventually(() => expect(failures()).toHaveLength(1))
    expect(failures()).toEqual([{ t: 'failed', id: limit, error: { code: 'rpc/too-many', limit } }])
    expect(connection.served.openCount()).toBe(limit)
    send({ t: 'cancel', id: 0 })
    send({ t: 'stream', id: limit + 1, method: 'sample.watch', input: {} })
    send({ t: 'call', id: limit + 2, method: 'sample.echo', input: { value: 'calls go through' } })
    await eventually(() =>
      expect(received).toContainEqual({ t: 'result', id: limit + 2, value: 'calls go through' }),
    )
    expect(failures()).toHaveLength(1)
    expect(connection.served.openCount()).toBe(limit)
  })

  it('are limited for calls', async () => {
    await begin()
    const limit = REQUEST_LIMITS.openCalls
    for (let id = 0; id <= limit; id += 1) send({ t: 'call', id, method: 'sample.wait', input: {} })
    await eventually(() => expect(failures()).toHaveLength(1))
    expect(failures()).toEqual([{ t: 'failed', id: limit, error: { code: 'rpc/too-many', limit } }])
    expect(connection.served.openCount()).toBe(limit)
  })

  it(`cost nothing where ${attempts} are asked for and none is read`, async () => {
    await begin()
    // Counts by hand: a spy would keep all of these frames and be searched repeatedly.
    let refused = 0
    const { host } = connection.link
    const pass = host.send.bind(host)
    host.send = (frame) => {
      if (frame.t === 'failed') refused += 1
      pass(frame)
    }
    const limit = REQUEST_LIMITS.openStreams
    let peak = 0
    connection.link.stall()
    for (let id = 0; id < attempts; id += 1) send({ t: 'stream', id, method: 'sample.watch', input: {} })
    const isJudged = () => {
      peak = Math.max(peak, connection.service.running())
      // A caller that does not read its refusals either has lost the connection.
      return refused >= attempts - limit || connection.log.events.includes('rpc.unread-refusals')
    }
    await eventually(() => expect(isJudged()).toBe(true))
    expect(peak).toBeLessThanOrEqual(limit)
    expect(connection.log.bugs).toEqual([])
    connection.link.resume()
  })
})

describe('folders that one connection asks for', () => {
  it('hold up no other: at its answer few of three thousand are over', async () => {
    const transport = transports.find(({ name }) => name === 'WebSocket')
    if (transport === undefined) throw new Error('no WebSocket')
    const folder = tempFolder()
    for (let each = 0; each < 50; each += 1) symlinkSync('.', join(folder, `link ${each}`))
    const contract = { 'folder.list': hostContract['folder.list'] }
    const open = async () => {
      const link = await transport.open()
      const served = serve(link.host, contract, { 'folder.list': ({ path }) => listFolder(path) }, { log })
      onTestFinished(async () => {
        served.dispose()
        await link.dispose()
      })
      const answers: ResponseFrame[] = []
      link.client.onFrame((frame) => answers.push(frame))
      const ask = (id: number): void =>
        link.client.send({ t: 'call', id, method: 'folder.list', input: { path: folder } })
      return { served, answers, ask }
    }
    const [many, one] = [await open(), await open()]
    for (let id = 0; id < 3_000; id += 1) many.ask(id)
    await eventually(() => expect(many.served.openCount()).toBeGreaterThan(500))
    one.ask(0)
    let over = 0
    await eventually(() => {
      over = many.answers.filter(({ t }) => t === 'result').length
      expect(one.answers).toHaveLength(1)
    })
    expect(one.answers[0]?.t).toBe('result')
    expect(over).toBeLessThan(300)
  })
})

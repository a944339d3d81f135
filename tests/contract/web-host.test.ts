import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { keepConnected } from '../../src/renderer/api/keep-connected.ts'
import { takeLinkSecret } from '../../src/renderer/api/link-secret.ts'
import { openWebSocketPort } from '../../src/renderer/api/web-socket-port.ts'
import { eventually } from '../fakes/eventually.ts'
import { sampleContract } from './sample-contract.ts'
import {
  ask,
  buildWindow,
  dial,
  exchange,
  secretOf,
  startHost,
  type TestHost,
  tokenOf,
} from './web-host-fixture.ts'

let built: Awaited<ReturnType<typeof buildWindow>>
let host: TestHost

beforeAll(async () => {
  built = await buildWindow()
})
afterAll(() => built.remove())
beforeEach(async () => {
  host = await startHost(built.rendererDir)
})
afterEach(() => host.close())

describe('the web host', () => {
  it('takes a browser from the link to a call', async () => {
    const kept = new Map<string, string>()
    const link = new URL(host.onceLink())
    const addressBar: string[] = []
    const secret = takeLinkSecret({
      location: link,
      history: { replaceState: (_state, _title, url) => addressBar.push(String(url)) },
      storage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      },
      fetch: (path, init) =>
        fetch(new URL(String(path), link), { ...init, headers: { ...init?.headers, origin: link.origin } }),
    })
    expect(addressBar).toEqual(['/'])

    const connection = keepConnected(sampleContract, {
      open: async () =>
        openWebSocketPort({
          url: `ws://${link.host}/rpc`,
          secret: await secret.get(),
          createSocket: (url) =>
            new WebSocket(url, { origin: link.origin }) as unknown as globalThis.WebSocket,
        }),
    })
    await eventually(() => expect(connection.state()).toBe('open'))
    expect(await connection.client['sample.echo']({ value: '次' })).toBe('次')
    expect(host.connectionCount()).toBe(1)
    connection.close()
    await eventually(() => expect(host.connectionCount()).toBe(0))
  })

  it('tells that a page is asked for by an allowed name, and of no other file', async () => {
    const pages: number[] = []
    const told = await startHost(built.rendererDir, { onPage: () => void pages.push(1) })
    await ask(told.port, '/', { headers: { host: 'evil.example' } })
    await ask(told.port, '/icon.svg')
    await ask(told.port, '/', { method: 'POST' })
    expect(pages).toHaveLength(0)
    expect((await ask(told.port, '/')).status).toBe(200)
    expect(pages).toHaveLength(1)
    await told.close()
  })

  it('lets a window in that was too busy to say its secret in time, once it has the time', async () => {
    const busy = await startHost(built.rendererDir, { limits: { authMs: 60 } })
    const secret = await secretOf(busy)
    let tries = 0
    const connection = keepConnected(sampleContract, {
      open: () =>
        openWebSocketPort({
          url: `ws://127.0.0.1:${busy.port}/rpc`,
          secret,
          createSocket(url) {
            const socket = new WebSocket(url, { origin: busy.url.slice(0, -1) })
            const send = socket.send.bind(socket)
            if (tries++ === 0)
              socket.send = (data: string) =>
                void setTimeout(() => socket.readyState === 1 && send(data), 400)
            return socket as unknown as globalThis.WebSocket
          },
        }),
    })
    await eventually(() => expect(connection.state()).toBe('open'))
    expect(tries).toBeGreaterThan(1)
    expect(await connection.client['sample.echo']({ value: '次' })).toBe('次')
    connection.close()
    await busy.close()
  })

  it('listens on 127.0.0.1 alone and says where', () => {
    expect(host.url).toBe(`http://127.0.0.1:${host.port}/`)
    expect(host.printedLink()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#link=[\w-]{43}$/)
  })

  it('gives each answer a nonce of its own, in the policy and in the page', async () => {
    const answers = await Promise.all([ask(host.port, '/'), ask(host.port, '/index.html')])
    const nonces = answers.map(({ headers, text }) => {
      const policy = String(headers['content-security-policy'])
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self' 'nonce-([^']+)'; style-src 'self' 'nonce-\1'; /,
      )
      expect(policy).toContain(
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      expect(Buffer.from(nonce, 'base64')).toHaveLength(18)
      expect(text).not.toContain('__CSP_NONCE__')
      expect(text.split(nonce)).toHaveLength(3)
      expect(headers['cache-control']).toBe('no-store')
      return nonce
    })
    expect(nonces[0]).not.toBe(nonces[1])
  })

  it.each([
    ['/', 'text/html; charset=utf-8', 'no-store'],
    ['/assets/index-Abc_12-3.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/style-12345678.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/mincho-12345678.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/assets/engine-12345678.wasm', 'application/wasm', 'public, max-age=31536000, immutable'],
    ['/icon.svg?v=1', 'image/svg+xml', 'no-cache'],
    ['/%E7%B6%99%E3%81%8E%20%E7%9B%AE.txt', 'text/plain; charset=utf-8', 'no-cache'],
  ])('serves %s as what it is', async (path, type, cache) => {
    const { status, headers } = await ask(host.port, path)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, cache])
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
    expect(headers['set-cookie']).toBeUndefined()
  })

  it('compresses text for who can read it', async () => {
    const path = '/assets/index-Abc_12-3.js'
    const plain = await ask(host.port, path)
    const packed = await ask(host.port, path, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(packed.body.length).toBeLessThan(plain.body.length / 10)
    expect(gunzipSync(packed.body)).toEqual(plain.body)
  })

  it('answers HEAD without a body, and nothing else than GET', async () => {
    const head = await ask(host.port, '/icon.svg', { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '6', ''])
    expect((await ask(host.port, '/', { method: 'DELETE' })).status).toBe(405)
    expect((await ask(host.port, '/link')).status).toBe(405)
  })

  it('stops cleanly: windows are told, the port is free, and stopping twice is once', async () => {
    const { socket, opened, closed } = dial(host)
    await opened
    socket.send(JSON.stringify({ secret: await secretOf(host) }))
    await eventually(() => expect(host.connectionCount()).toBe(1))
    socket.send(JSON.stringify({ t: 'stream', id: 1, method: 'sample.watch', input: {} }))
    await eventually(() => expect(host.service.running()).toBe(1))
    await Promise.all([host.close(), host.close()])
    expect(await closed).toBe(1001)
    expect(host.service.running()).toBe(0)
    await expect(ask(host.port, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const next = await startHost(built.rendererDir, { port: host.port })
    await next.close()
  })

  it('does not wait for a window that ignores the goodbye', async () => {
    const slow = await startHost(built.rendererDir, { limits: { goodbyeMs: 50 } })
    const { socket, opened } = dial(slow)
    await opened
    socket.pause()
    await slow.close()
  })

  it('says that the port is taken', async () => {
    await expect(startHost(built.rendererDir, { port: host.port })).rejects.toMatchObject({
      info: { code: 'host/port-in-use', address: `127.0.0.1:${host.port}` },
    })
  })

  it('needs TLS for an address that others can reach', async () => {
    const tls = { certFile: 'missing.pem', keyFile: 'missing.pem' }
    await expect(startHost(built.rendererDir, { host: '192.0.2.1' })).rejects.toMatchObject({
      info: { code: 'host/tls-needed', address: '192.0.2.1' },
    })
    await expect(startHost(built.rendererDir, { host: '192.0.2.1', tls })).rejects.toMatchObject({
      info: { code: 'file/not-found', path: 'missing.pem' },
    })
  })

  it('says that the window has not been built', async () => {
    await expect(startHost(`${built.rendererDir}/assets`)).rejects.toMatchObject({
      info: { code: 'file/not-found' },
    })
    await expect(startHost('/nowhere')).rejects.toMatchObject({ info: { code: 'file/not-found' } })
  })

  it('exchanges the printed link as often as it is opened', async () => {
    const secrets = [await secretOf(host), await secretOf(host)]
    expect(secrets[0]).toMatch(/^[\w-]{43}$/)
    expect(secrets[0]).toBe(secrets[1])
    expect((await exchange(host, tokenOf(host.printedLink()))).headers['cache-control']).toBe('no-store')
  })
})

import { writeFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WEB_HOST_LIMITS } from '../../src/main/web-host/limits.ts'
import { CLOSE_TRY_AGAIN } from '../../src/shared/rpc/link-protocol.ts'
import { eventually } from '../fakes/eventually.ts'
import { type ManualClock, manualClock } from '../fakes/manual-clock.ts'
import {
  ask,
  buildWindow,
  dial,
  exchange,
  secretOf,
  sendRaw,
  startHost,
  type TestHost,
  tokenOf,
} from './web-host-fixture.ts'

/** Limits that tests of other behaviour never reach, even on a slow machine. */
const limits = {
  authMs: 5_000,
  strangers: 8,
  messageBytes: 64 * 1024,
  goodbyeMs: 500,
  pingMs: 15_000,
}
let built: Awaited<ReturnType<typeof buildWindow>>
let host: TestHost
/** Time stands still until a test advances it; only the time limit of Node's HTTP requests is real. */
let clock: ManualClock

beforeAll(async () => {
  built = await buildWindow()
})
afterAll(() => built.remove())
beforeEach(async () => {
  clock = manualClock()
  host = await startHost(built.rendererDir, { clock, limits })
})
afterEach(async () => {
  expect((await ask(host.port, '/')).status).toBe(200)
  expect(host.log.bugs).toEqual([])
  await host.close()
})

/** Connects a window in the usual steps: the link's token, the socket, the secret. */
async function letIn(host: TestHost) {
  const secret = await secretOf(host)
  const dialled = dial(host)
  await dialled.opened
  dialled.socket.send(JSON.stringify({ secret }))
  await eventually(() => expect(dialled.messages).toEqual(['{"ready":true}']))
  return dialled
}

/** A connection that never says anything. */
function silentConnection(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1', resolve)
    socket.on('error', () => resolve())
    onTestFinished(() => void socket.destroy())
  })
}

describe('a thief of links', () => {
  it('gets nothing for a wrong token', async () => {
    const printed = tokenOf(host.printedLink())
    for (const token of ['', 'x', printed.slice(1), `${printed}x`, printed.toUpperCase()]) {
      expect((await exchange(host, token)).status).toBe(401)
    }
    for (const token of [undefined, null, 7, {}, [printed]]) {
      expect((await exchange(host, token)).status).toBe(400)
    }
  })

  it('comes too late with a link from the list of processes', async () => {
    const token = tokenOf(host.onceLink())
    expect((await exchange(host, token)).status).toBe(200)
    expect((await exchange(host, token)).status).toBe(401)
    const [first, second] = [tokenOf(host.onceLink()), tokenOf(host.onceLink())]
    expect((await exchange(host, second)).status).toBe(200)
    expect((await exchange(host, first)).status).toBe(200)
  })

  it('cannot use a link that no browser came for in time', async () => {
    const brief = await startHost(built.rendererDir, { limits: { onceLinkMs: 0 } })
    expect((await exchange(brief, tokenOf(brief.onceLink()))).status).toBe(401)
    await brief.close()
  })

  it('is told to wait after ten guesses, and keeps nobody out who has the right one', async () => {
    for (let guess = 0; guess < 10; guess += 1) expect((await exchange(host, 'guess')).status).toBe(401)
    const answer = await exchange(host, 'guess')
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60'])
    expect((await exchange(host, tokenOf(host.printedLink()))).status).toBe(200)
    expect((await exchange(host, tokenOf(host.onceLink()))).status).toBe(200)
  })

  it('cannot send the token in any other way than the window does', async () => {
    const body = JSON.stringify({ token: tokenOf(host.printedLink()) })
    const origin = new URL(host.url).origin
    const post = (headers: Record<string, string>, path = '/link', sent = body) =>
      ask(host.port, path, { method: 'POST', headers, body: sent })
    expect((await post({ origin, 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post({ 'content-type': 'application/json' })).status).toBe(403)
    expect((await post({ origin, 'content-type': 'application/json' }, '/link', '{"token"')).status).toBe(400)
    const large = JSON.stringify({ token: 'x'.repeat(5000) })
    expect((await post({ origin, 'content-type': 'application/json' }, '/link', large)).status).toBe(413)
  })
})

describe('another site', () => {
  const foreign = [
    'http://evil.example',
    'null',
    'https://127.0.0.1',
    'http://127.0.0.1:1',
    'http://localhost.evil.example',
  ]

  it.each(foreign)('cannot exchange a link from %s', async (origin) => {
    const answer = await exchange(host, tokenOf(host.printedLink()), { origin })
    expect(answer.status).toBe(403)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect((await ask(host.port, '/', { headers: { origin } })).status).toBe(403)
  })

  it.each(foreign)('cannot open a WebSocket from %s', async (origin) => {
    expect(await dial(host, { origin }).refused).toBe(403)
  })

  it('cannot pass for us by the port of another of our names', async () => {
    const origin = `http://localhost:${host.port}`
    expect(await dial(host, { origin }).refused).toBe(403)
    const { opened, socket } = dial(host, { origin, host: `localhost:${host.port}` })
    expect(await opened).toBe(true)
    socket.terminate()
  })

  it('cannot rebind its name to our address', async () => {
    const { port } = host
    const names = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `127.0.0.1:${port}.evil.example`,
    ]
    const odd = [`user@127.0.0.1:${port}`, `127.0.0.1:${port}/x`, `0.0.0.0:${port}`, `127.1:${port}x`]
    for (const name of [...names, ...odd]) {
      const same = { host: name, origin: `http://${name}` }
      expect([name, (await ask(port, '/', { headers: { host: name } })).status]).toEqual([name, 403])
      expect([name, (await exchange(host, tokenOf(host.printedLink()), same)).status]).toEqual([name, 403])
      expect([name, await dial(host, same).refused]).toEqual([name, 403])
    }
    for (const name of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect((await ask(port, '/', { headers: { host: name } })).status).toBe(200)
    }
  })

  it('cannot do without a Host or an Origin', async () => {
    expect(await sendRaw(host.port, 'GET / HTTP/1.0\r\n\r\n')).toContain('403 Forbidden')
    expect(await sendRaw(host.port, 'GET / HTTP/1.1\r\nHost:\r\n\r\n')).toContain('403 Forbidden')
    const upgrade = `GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    expect(await sendRaw(host.port, upgrade)).toContain('403 Forbidden')
  })
})

describe('who looks for files', () => {
  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/%2E%2E%2Fsecret.txt',
    '/..%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%252f..%252fsecret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/../renderer-private/secret.txt',
    '/..;/secret.txt',
    '//etc/passwd',
    '/etc/passwd',
    '/link.txt',
    '/up/secret.txt',
    '/icon.svg%00.html',
    '/assets',
    '/assets/',
    '/ICON.SVG',
    '/%',
    '/__proto__',
  ])('finds nothing at %s', async (path) => {
    const answer = await ask(host.port, path)
    expect([answer.status, answer.text.includes('secret')]).toEqual([404, false])
  })

  it('cannot name a file as a whole URL', async () => {
    const answer = await sendRaw(
      host.port,
      `GET http://127.0.0.1:${host.port}/icon.svg HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toContain('404 Not Found')
  })

  it('cannot hold a connection with half a request', async () => {
    const brief = await startHost(built.rendererDir, { limits: { requestMs: 200 } })
    onTestFinished(() => brief.close())
    const socket = connectSocket(brief.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    await closed
    const silent = connectSocket(brief.port, '127.0.0.1')
    let heard = ''
    silent.on('data', (bytes) => (heard += String(bytes)))
    await new Promise((resolve) => silent.once('close', resolve))
    // A browser may have opened this connection ahead: a response now would answer its next request.
    expect(heard).toBe('')
  })

  it('gets a plain answer to a broken request', async () => {
    expect(await sendRaw(host.port, 'NOT HTTP\r\n\r\n')).toContain('400 Bad Request')
    expect(await dial(host, {}, '/rpc/x').refused).toBe(404)
  })
})

describe('a stranger on the WebSocket', () => {
  const call = JSON.stringify({ t: 'call', id: 1, method: 'sample.echo', input: { value: 1 } })

  it.each([
    ['a call', call],
    ['a wrong secret', JSON.stringify({ secret: 'x' })],
    ['no JSON', 'hello'],
    ['an empty message', ''],
    ['a number for a secret', JSON.stringify({ secret: 1 })],
    ['a long message', JSON.stringify({ secret: 'x'.repeat(2000) })],
    ['bytes', Buffer.from([1, 2, 3])],
  ])('is shown out after %s', async (_what, message) => {
    const { socket, messages, opened, closed } = dial(host)
    await opened
    socket.send(message)
    socket.send(call)
    expect(await closed).toBe(4401)
    expect(messages).toEqual([])
    expect(host.connectionCount()).toBe(0)
  })

  it('is shown out when it says nothing', async () => {
    const { opened, closed } = dial(host)
    await opened
    await clock.advance(limits.authMs)
    expect(await closed).toBe(CLOSE_TRY_AGAIN)
  })

  it('is not let in by a secret that comes after the deadline', async () => {
    const secret = await secretOf(host)
    const { socket, messages, opened, closed } = dial(host)
    await opened
    await clock.advance(limits.authMs)
    socket.send(JSON.stringify({ secret }))
    expect(await closed).toBe(CLOSE_TRY_AGAIN)
    expect([messages, host.connectionCount()]).toEqual([[], 0])
  })

  it('is cut off when it does not even close', async () => {
    const deaf = dial(host)
    await deaf.opened
    deaf.socket.pause()
    await clock.advance(limits.authMs)
    await clock.advance(limits.goodbyeMs)
    deaf.socket.resume()
    expect(await deaf.closed).toBeGreaterThan(0)
  })

  it.each([
    ['silent WebSockets', () => dial(host).opened],
    ['silent connections', () => silentConnection(host.port)],
  ])('cannot keep a window out with %s', async (_what, attack) => {
    const inside = await letIn(host)
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 2 * limits.strangers }, (): Promise<unknown> => attack()))
      const window = await letIn(host)
      window.socket.terminate()
    }
    // A window that was accepted before is not closed to make room.
    inside.socket.send(JSON.stringify({ t: 'call', id: 1, method: 'sample.echo', input: { value: 'here' } }))
    await eventually(() => expect(inside.messages).toHaveLength(2))
    inside.socket.terminate()
  })

  it('cannot keep a window out with answers that it does not read', async () => {
    await writeFile(join(built.rendererDir, 'assets/large-12345678.js'), Buffer.alloc(20_000_000, 'a'))
    const readers = Array.from({ length: limits.strangers - 1 }, () => {
      const socket = connectSocket(host.port, '127.0.0.1').on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      socket.write(`GET /assets/large-12345678.js HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n\r\n`)
      return new Promise<typeof socket>((resolve) => socket.once('readable', () => resolve(socket)))
    })
    const open = await Promise.all(readers)
    await clock.advance(WEB_HOST_LIMITS.requestMs)
    const secret = await secretOf(host)
    const window = dial(host)
    await window.opened
    // These come between the window's beginning and its secret.
    for (let at = 0; at < limits.strangers - 2; at += 1) await silentConnection(host.port)
    window.socket.send(JSON.stringify({ secret }))
    await eventually(() => expect(window.messages).toEqual(['{"ready":true}']))
    await clock.advance(WEB_HOST_LIMITS.answerMs)
    for (const socket of open) socket.resume()
    await eventually(() => expect(open.every((socket) => socket.destroyed)).toBe(true))
    window.socket.terminate()
  })

  it('cannot hold a refused upgrade with its own end open', async () => {
    const socket = connectSocket({ port: host.port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    const heard = new Promise((resolve) => socket.once('data', resolve))
    socket.on('error', () => undefined)
    const head = `Host: 127.0.0.1:${host.port}\r\nConnection: Upgrade\r\nUpgrade: websocket`
    socket.write(`GET /elsewhere HTTP/1.1\r\n${head}\r\n\r\n`)
    expect(String(await heard)).toContain(' 404 ')
    expect(clock.pending).toBe(1)
    await clock.advance(WEB_HOST_LIMITS.requestMs)
    expect(clock.pending).toBe(0)
    // The host is gone: it answers what is still sent with a reset.
    await eventually(() => {
      socket.write('x')
      expect(socket.destroyed).toBe(true)
    })
  })

  it.each([
    ['nothing', ''],
    ['half a request', 'GET / HTTP/1.1\r\nX-Slow: '],
    ['a request whose body does not come', 'POST /link HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9\r\n\r\n'],
    [
      'one request and half of another',
      'GET /icon.svg HTTP/1.1\r\nHost: HOST\r\n\r\nGET / HTTP/1.1\r\nX-Slow: ',
    ],
  ])('has two seconds with %s, and not a moment more', async (_what, said) => {
    expect([WEB_HOST_LIMITS.authMs, WEB_HOST_LIMITS.requestMs]).toEqual([2_000, 2_000])
    const { port } = host
    const socket = connectSocket(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let isOpen = true
    socket.on('close', () => (isOpen = false)).on('error', () => undefined)
    let heard = ''
    socket.on('data', (bytes) => (heard += String(bytes)))
    await eventually(() => expect(clock.pending).toBe(1))
    socket.write(said.replace('HOST', `127.0.0.1:${port}`))
    if (said.includes('/icon.svg')) await eventually(() => expect(heard).toContain('200 OK'))
    await eventually(() => expect(clock.pending).toBe(1))
    await clock.advance(WEB_HOST_LIMITS.requestMs - 1)
    // Bytes that trickle in are no request.
    if (said !== '') socket.write('x')
    expect((await ask(port, '/')).status).toBe(200)
    expect(isOpen).toBe(true)
    await clock.advance(1)
    await eventually(() => expect(isOpen).toBe(false))
  })

  it('cannot flood the memory with one message', async () => {
    const { socket, opened, closed } = dial(host)
    await opened
    socket.send('x'.repeat(64 * 1024 + 1))
    expect(await closed).toBe(1009)
  })

  it('has no more time with half a request than with none', async () => {
    const { socket, opened, closed } = dial(host)
    await opened
    // One frame that announces more than it brings.
    ;(socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(
      Buffer.from([0x81, 0xfe, 0x10]),
    )
    await clock.advance(limits.authMs + limits.goodbyeMs)
    expect(await closed).toBeGreaterThan(0)
  })
})

describe('a window that is let in', () => {
  const enter = () => letIn(host)

  it('is closed for what is not JSON, not for what is no frame', async () => {
    const { socket, messages, closed } = await enter()
    for (const message of ['{}', '[]', '"x"', '{"t":"call"}', '{"__proto__":{"t":"call"}}'])
      socket.send(message)
    socket.send(JSON.stringify({ t: 'call', id: 1, method: 'sample.echo', input: { value: 'fine' } }))
    await eventually(() => expect(messages.at(-1)).toBe('{"t":"result","id":1,"value":"fine"}'))
    socket.send('{')
    expect(await closed).toBe(1007)
    await eventually(() => expect(host.connectionCount()).toBe(0))
  })

  it('is closed for a message beyond the limit', async () => {
    const { socket, closed } = await enter()
    socket.send(
      JSON.stringify({ t: 'call', id: 1, method: 'sample.echo', input: { value: 'x'.repeat(70_000) } }),
    )
    expect(await closed).toBe(1009)
    await eventually(() => expect(host.connectionCount()).toBe(0))
  })

  it('stays while it answers pings, and is gone when it does not', async () => {
    const alive = await enter()
    const dead = await enter()
    dead.socket.pause()
    const pinged = new Promise((heard) => alive.socket.once('ping', heard))
    await clock.advance(limits.pingMs)
    await pinged
    // The host answers this only after reading the answer to the ping before it.
    alive.socket.send(JSON.stringify({ t: 'call', id: 1, method: 'sample.echo', input: { value: 'here' } }))
    await eventually(() => expect(alive.messages).toHaveLength(2))
    await clock.advance(limits.pingMs)
    await eventually(() => expect(host.connectionCount()).toBe(1))
    expect(alive.socket.readyState).toBe(alive.socket.OPEN)
    alive.socket.terminate()
  })
})

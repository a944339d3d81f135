import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../fakes/eventually.ts'
import { createSelfSigned } from '../fakes/self-signed.ts'
import { buildWindow, startHost, type TestHost, tokenOf } from './web-host-fixture.ts'

let built: Awaited<ReturnType<typeof buildWindow>>
let tls: { certFile: string; keyFile: string }
const { cert, key } = createSelfSigned(['study.example', 'evil.example'])

beforeAll(async () => {
  built = await buildWindow()
  tls = {
    certFile: join(built.rendererDir, '..', 'cert.pem'),
    keyFile: join(built.rendererDir, '..', 'key.pem'),
  }
  await writeFile(tls.certFile, cert)
  await writeFile(tls.keyFile, key)
})
afterAll(() => built.remove())

function askSecurely(
  host: TestHost,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: host.port, path, ca: cert, headers, agent: false as const }
    const sent = request({ ...options, method: body === undefined ? 'GET' : 'POST' }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('a web host that other machines may reach', () => {
  it('speaks TLS only, to the names that it has', async () => {
    const host = await startHost(built.rendererDir, { host: '0.0.0.0', tls, names: ['study.example'] })
    expect(host.url).toBe(`https://127.0.0.1:${host.port}/`)
    const status = async (name: string) => (await askSecurely(host, '/', { host: name })).status
    expect(await status(`127.0.0.1:${host.port}`)).toBe(200)
    expect(await status(`study.example:${host.port}`)).toBe(200)
    expect(await status(`evil.example:${host.port}`)).toBe(403)
    await expect(fetch(`http://127.0.0.1:${host.port}/`)).rejects.toThrow()

    const origin = new URL(host.url).origin
    const body = JSON.stringify({ token: tokenOf(host.printedLink()) })
    const headers = { origin, 'content-type': 'application/json' }
    const insecure = { ...headers, origin: origin.replace('https', 'http') }
    expect((await askSecurely(host, '/link', insecure, body)).status).toBe(403)
    const { secret } = JSON.parse((await askSecurely(host, '/link', headers, body)).text)

    const socket = new WebSocket(`wss://127.0.0.1:${host.port}/rpc`, { origin, ca: cert })
    const messages: string[] = []
    socket.on('message', (data) => messages.push(String(data)))
    socket.on('open', () => socket.send(JSON.stringify({ secret })))
    await eventually(() => expect(messages).toEqual(['{"ready":true}']))
    await host.close()
  })

  it('counts whoever does not even begin TLS among the strangers', async () => {
    const host = await startHost(built.rendererDir, { host: '0.0.0.0', tls, limits: { strangers: 4 } })
    const silent = Array.from({ length: 12 }, () =>
      connect(host.port, '127.0.0.1').on('error', () => undefined),
    )
    for (const socket of silent) socket.resume()
    await eventually(() => expect(silent.filter(({ destroyed }) => destroyed)).toHaveLength(8))
    const answer = await askSecurely(host, '/', { host: `127.0.0.1:${host.port}` })
    expect(answer.status).toBe(200)
    for (const socket of silent) socket.destroy()
    await host.close()
  })

  it('needs files that are a certificate and its key', async () => {
    const swapped = { certFile: tls.keyFile, keyFile: tls.certFile }
    await expect(startHost(built.rendererDir, { tls: swapped })).rejects.toMatchObject({
      info: { code: 'host/bad-tls' },
    })
    const otherKey = join(built.rendererDir, '..', 'other.pem')
    await writeFile(otherKey, createSelfSigned().key)
    const mixed = { ...tls, keyFile: otherKey }
    await expect(startHost(built.rendererDir, { tls: mixed })).rejects.toMatchObject({
      info: { code: 'host/bad-tls' },
    })
  })

  it('says that an address is not one of this machine', async () => {
    await expect(startHost(built.rendererDir, { host: '192.0.2.1', tls })).rejects.toMatchObject({
      info: { code: 'host/bad-address', address: '192.0.2.1:0', reason: 'EADDRNOTAVAIL' },
    })
  })
})

/** The whole app's answers to strangers; `tests/contract` tests what the web host refuses by itself. */
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { openHostPort } from '../../e2e/support/host-client.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { startTestHost } from '../support/host-process.ts'
import { openTestWindow } from '../support/test-window.ts'

describe('the running app', () => {
  it('gives its window under a policy without exceptions, and no cookie', async () => {
    const { link } = await startTestHost(tempFolder())
    const { origin } = new URL(link)
    const answer = await fetch(origin)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'nonce-[\w+/=]{24}'/)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(answer.headers.get('set-cookie')).toBeNull()

    const page = await answer.text()
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    const tags = page.match(/<(?:script|link|style)\b[^>]*>/g) ?? []
    expect(tags.length).toBeGreaterThan(1)
    for (const tag of tags.filter((each) => !each.includes('rel="icon"')))
      expect(tag).toContain(`nonce="${nonce}"`)
    expect(page).not.toMatch(/__CSP_NONCE__|<script(?![^>]*src=)[^>]*>\s*\S|https?:\/\//)
    for (const [, path] of page.matchAll(/(?:src|href)="(\.?\/[^"]+)"/g)) {
      const asset = await fetch(new URL(path ?? '', origin))
      expect([path, asset.status, asset.headers.get('set-cookie')]).toEqual([path, 200, null])
      expect(asset.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/)
    }
  })

  it('lets nobody in by the secret of an earlier host', async () => {
    const dataDir = tempFolder()
    const first = await startTestHost(dataDir)
    const { port, origin } = new URL(first.link)
    const secret = await secretOf(first.link)
    await first.kill()
    const second = await startTestHost(dataDir, { args: ['--port', port] })
    expect(new URL(second.link).origin).toBe(origin)
    expect(await knock(origin, secret)).toBe(4401)
    const old = await fetch(`${origin}/link`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token: new URLSearchParams(new URL(first.link).hash.slice(1)).get('link') }),
    })
    expect(old.status).toBe(401)
  })

  it('answers no rebound name and no other site, on HTTP and on the WebSocket', async () => {
    const { link } = await startTestHost(tempFolder())
    const { origin, port } = new URL(link)
    expect(
      await raw(port, `GET / HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`),
    ).toContain(' 403 ')
    const foreign = 'http://127.0.0.1:1'
    expect((await fetch(origin, { headers: { origin: foreign } })).status).toBe(403)
    await expect(knock(origin, await secretOf(link), foreign)).rejects.toThrow('403')
  })

  it('keeps its keys and its data folder to its user, and the log free of links', async () => {
    const dataDir = tempFolder()
    const host = await startTestHost(dataDir)
    const { client } = await openTestWindow(host.link, tempFolder())
    const { profile } = await client['profile.save']({ profile: koboldProfile, key: 'geheim-7' })
    expect(JSON.stringify(await client['profile.list']({}))).not.toContain('geheim-7')
    expect(profile).toMatchObject({ hasKey: true })
    expect(await client['host.keyStore']({})).toEqual({ isEncrypted: false })
    await host.stop()
    const token = new URL(host.link).hash.slice('#link='.length)
    const holders = filesOf(dataDir).filter((file) => readFileSync(file).includes('geheim-7'))
    expect(holders.map((file) => [statSync(file).mode & 0o777, file.endsWith('.log')])).toEqual([
      [0o600, false],
    ])
    expect(filesOf(dataDir).filter((file) => readFileSync(file).includes(token))).toEqual([])
  })
})

describe('a window that was let in', () => {
  it('cannot reach out of its work', async () => {
    const [root, outside] = [tempFolder(), tempFolder()]
    const secret = join(outside, 'secret.txt')
    writeFileSync(secret, 'secret')
    writeFileSync(join(root, '01.txt'), '本文')
    symlinkSync(secret, join(root, 'link.txt'))
    symlinkSync(outside, join(root, 'up'))
    const host = await startTestHost(tempFolder())
    const { client, workId } = await openTestWindow(host.link, root)
    for (const path of ['link.txt', 'up/secret.txt', `../${outside.split('/').at(-1)}/secret.txt`, secret]) {
      const watch = client['document.watch']({ workId, path })[Symbol.asyncIterator]()
      await expect(watch.next(), path).rejects.toThrow('file/outside')
      await expect(client['work.removeFile']({ workId, path }), path).rejects.toThrow('file/outside')
      await expect(client['work.renameFile']({ workId, path, newPath: 'mine.txt' }), path).rejects.toThrow(
        'file/outside',
      )
    }
    for (const newPath of ['../taken.txt', 'up/taken.txt', join(outside, 'taken.txt')]) {
      await expect(client['work.createFile']({ workId, path: newPath }), newPath).rejects.toThrow(
        /file\/(outside|bad-name)/,
      )
      const rename = client['work.renameFile']({ workId, path: '01.txt', newPath })
      await expect(rename, newPath).rejects.toThrow(/file\/(outside|bad-name)/)
    }
    expect([readdirSync(outside), readFileSync(secret, 'utf8')]).toEqual([['secret.txt'], 'secret'])
    expect(readFileSync(join(root, '01.txt'), 'utf8')).toBe('本文')
  })

  it('gets a plain refusal for what the contract does not know, and never a bug', async () => {
    const host = await startTestHost(tempFolder())
    const port = await openHostPort(host.link)
    const answers = new Map<number, unknown>()
    port.onFrame((frame) => {
      if (frame.t === 'failed') answers.set(frame.id, frame.error.code)
      else if (!answers.has(frame.id)) answers.set(frame.id, frame.t)
    })
    for (const [id, [method, input]] of hostileCalls.entries()) port.send({ t: 'call', id, method, input })
    await eventually(() => expect(answers.size).toBe(hostileCalls.length))
    const bugs = hostileCalls.filter((_call, id) => answers.get(id) === 'internal/bug')
    expect(bugs).toEqual([])
    expect([0, 1, 2].map((id) => answers.get(id))).toEqual(Array(3).fill('rpc/unknown-method'))
    expect(host.process.exitCode).toBeNull()
    port.close()
  })
})

const koboldProfile = {
  id: 'new',
  name: 'K',
  backend: 'koboldcpp',
  address: 'http://127.0.0.1:9',
  hasKey: false,
  templateId: 'mistral',
  samplerPresetId: 'novel',
  timeouts: { connectMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000 },
} as const

const hostileCalls: [string, unknown][] = [
  ['__proto__', {}],
  ['constructor', {}],
  ['toString', null],
  ['document.watch', { workId: '../x', path: '\0' }],
  [
    'document.change',
    { documentId: 'x', clientId: 'y', baseVersion: 0, changes: [[[0, 'x'.repeat(100_000)]]] },
  ],
  ['work.open', { path: '\0' }],
  ['work.open', { path: '/proc/self/mem' }],
  ['work.open', { path: '/dev/zero' }],
  ['folder.list', { path: '/nowhere\0' }],
  ['folder.create', { parent: '/nowhere', name: '../../x' }],
  ['model.use', { backend: 'embedded', file: '/dev/zero' }],
  ['model.use', { backend: 'koboldcpp', address: 'file:///etc/passwd' }],
  ['settings.update', { patch: { __proto__: { theme: 'x' } } }],
  ['take.list', { workId: "'; DROP TABLE takes; --", limit: 50 }],
]

async function secretOf(link: string): Promise<string> {
  const { origin, hash } = new URL(link)
  const answer = await fetch(`${origin}/link`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URLSearchParams(hash.slice(1)).get('link') }),
  })
  return ((await answer.json()) as { secret: string }).secret
}

/** Sends `secret` to the host and returns the code with which the socket is closed. Errors: a refused upgrade. */
function knock(origin: string, secret: string, from = origin): Promise<number> {
  return new Promise((closed, failed) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { origin: from })
    socket.once('open', () => socket.send(JSON.stringify({ secret })))
    socket.once('close', closed)
    socket.once('error', failed)
  })
}

function raw(port: string, bytes: string): Promise<string> {
  return new Promise((done) => {
    let answer = ''
    const socket = createConnection(Number(port), '127.0.0.1', () => socket.end(bytes))
    socket.on('data', (part) => {
      answer += String(part)
    })
    socket.once('close', () => done(answer))
  })
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

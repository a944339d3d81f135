import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRendererFiles } from '../src/main/web-host/renderer-files.ts'
import { createAppHandler, isAppPage, isOutsideAddress } from './app-protocol.ts'

let folder: string
let handle: (request: Request) => Promise<Response>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tsugi-window-'))
  const rendererDir = join(folder, 'renderer')
  await mkdir(join(rendererDir, 'assets'), { recursive: true })
  await writeFile(join(rendererDir, 'index.html'), '<script nonce="__CSP_NONCE__"></script>')
  await writeFile(join(rendererDir, 'assets', 'a b.js'), 'export {}')
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await symlink(join(folder, 'secret.txt'), join(rendererDir, 'link.txt'))
  handle = createAppHandler(await openRendererFiles(rendererDir))
})
afterAll(() => rm(folder, { recursive: true }))

const get = (address: string, method = 'GET') => handle(new Request(address, { method }))

describe('createAppHandler', () => {
  it('serves the page with a new nonce each time', async () => {
    const first = await get('tsugi://app/index.html')
    const second = await get('tsugi://app/')
    const csp = first.headers.get('Content-Security-Policy') ?? ''
    const nonce = /'nonce-([^']+)'/.exec(csp)?.[1]
    expect(await first.text()).toBe(`<script nonce="${nonce}"></script>`)
    expect(csp).toContain("default-src 'none'")
    expect(csp).not.toContain('unsafe')
    expect(await second.text()).not.toContain(nonce)
  })

  it('serves the files beside it with their type', async () => {
    const answer = await get('tsugi://app/assets/a%20b.js?v=1')
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(await answer.text()).toBe('export {}')
  })

  it('answers HEAD without a body', async () => {
    const answer = await get('tsugi://app/assets/a%20b.js', 'HEAD')
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  it.each([
    'tsugi://app/../secret.txt',
    'tsugi://app/..%2fsecret.txt',
    'tsugi://app/assets/..%5c..%5csecret.txt',
    'tsugi://app/%2e%2e/secret.txt',
    'tsugi://app//etc/passwd',
    'tsugi://app/link.txt',
    'tsugi://other/index.html',
    'tsugi://app.evil/index.html',
  ])('has nothing at %s', async (address) => {
    const answer = await get(address)
    expect([answer.status, await answer.text()]).toEqual([404, ''])
  })

  it('takes no other method', async () => {
    expect((await get('tsugi://app/index.html', 'POST')).status).toBe(405)
  })
})

describe('addresses', () => {
  it('shows nothing but its own page', () => {
    expect(isAppPage('tsugi://app/index.html')).toBe(true)
    for (const other of ['tsugi://app.evil/', 'tsugi:app/', 'https://app/', 'file:///index.html', '']) {
      expect(isAppPage(other), other).toBe(false)
    }
  })

  it('hands the web and mail to the system, and nothing that runs something', () => {
    for (const address of ['https://example.test/', 'http://127.0.0.1:5001/', 'mailto:a@example.test']) {
      expect(isOutsideAddress(address), address).toBe(true)
    }
    for (const address of ['file:///bin/sh', 'javascript:alert(1)', 'tsugi://app/', 'smb://host/x', 'x']) {
      expect(isOutsideAddress(address), address).toBe(false)
    }
  })
})

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { systemClock } from '../../src/main/platform/clock.ts'
import type { WebHostLimits } from '../../src/main/web-host/limits.ts'
import { createWebHost, type WebHost } from '../../src/main/web-host/web-host.ts'
import { createTestLog } from './connection.ts'
import { sampleContract } from './sample-contract.ts'
import { createSampleService } from './sample-service.ts'

/** Creates a built window like Vite's, beside files that must not be served. */
export async function buildWindow(): Promise<{ rendererDir: string; remove(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'tsugi-window-'))
  const rendererDir = join(root, 'renderer')
  await mkdir(join(rendererDir, 'assets'), { recursive: true })
  await mkdir(join(root, 'renderer-private'))
  const files = {
    'renderer/index.html':
      '<meta property="csp-nonce" nonce="__CSP_NONCE__"><script type="module" nonce="__CSP_NONCE__" src="/assets/index-Abc_12-3.js"></script>',
    'renderer/assets/index-Abc_12-3.js': `// ${'long '.repeat(1000)}`,
    'renderer/assets/style-12345678.css': 'body {}',
    'renderer/assets/mincho-12345678.woff2': 'font',
    'renderer/assets/engine-12345678.wasm': 'wasm',
    'renderer/icon.svg': '<svg/>',
    'renderer/継ぎ 目.txt': 'seam',
    'secret.txt': 'secret',
    'renderer-private/secret.txt': 'secret',
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text)
  await symlink(join(root, 'secret.txt'), join(rendererDir, 'link.txt'))
  await symlink(root, join(rendererDir, 'up'))
  return { rendererDir, remove: () => rm(root, { recursive: true, force: true }) }
}

export type TestHost = WebHost & {
  port: number
  service: ReturnType<typeof createSampleService>
  log: ReturnType<typeof createTestLog>
}

export async function startHost(
  rendererDir: string,
  options: Partial<Parameters<typeof createWebHost>[0]> & { limits?: Partial<WebHostLimits> } = {},
): Promise<TestHost> {
  const service = createSampleService()
  const log = createTestLog()
  const host = await createWebHost({
    rendererDir,
    clock: systemClock,
    ...options,
    load: async () => ({ contract: sampleContract, api: service.api }),
    log,
  })
  return { ...host, port: Number(new URL(host.url).port), service, log }
}

export const tokenOf = (link: string): string => new URL(link).hash.replace('#link=', '')

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: Buffer }

/** A request with exactly these headers and this path; `fetch` would tidy both. */
export function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const whole = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: String(whole),
          body: whole,
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export function exchange(
  host: TestHost,
  token: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return ask(host.port, '/link', {
    method: 'POST',
    headers: {
      origin: new URL(host.url).origin,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ token }),
  })
}

export async function secretOf(host: TestHost): Promise<string> {
  return JSON.parse((await exchange(host, tokenOf(host.printedLink()))).text).secret
}

/** A raw WebSocket and how it ended. `status` is the HTTP answer where the upgrade was refused. */
export function dial(host: TestHost, headers: Record<string, string> = {}, path = '/rpc') {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, {
    headers: { origin: new URL(host.url).origin, ...headers },
  })
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  const opened = new Promise<boolean>((resolve) => {
    socket.once('open', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  const refused = new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
  })
  socket.on('error', () => undefined)
  return { socket, messages, opened, closed, refused }
}

/** Sends these exact bytes and returns the answer. A test that waits for the end keeps its own side open. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('error', () => resolve(answer))
    socket.on('close', () => resolve(answer))
    if (bytes.includes('Connection: close')) socket.write(bytes)
    else socket.end(bytes)
  })
}

import { spawn } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hostileServer } from '../../../tests/fakes/servers/hostile-server.ts'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import { declaredOf, offeredOf } from './listed-tools.ts'
import { connectServer } from './server-connection.ts'
import { limitedFetch } from './server-limits.ts'
import { createToolServers } from './tool-servers.ts'

const secrets = { environment: async () => ({ PATH: process.env.PATH ?? '' }), keys: async () => ({}) }
const signal = new AbortController().signal
const tooMany: ErrorInfo = { code: 'mcp/too-many', limit: 2_000 }
const tooLarge: ErrorInfo = { code: 'mcp/too-large', limitBytes: 10_000_000 }
const hostile = (line: string): ToolServer => ({
  name: 'hostile',
  isOn: true,
  transport: { kind: 'stdio', command: process.execPath, args: ['-e', hostileServer, line] },
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function connected(line: string) {
  const connection = await connectServer(hostile(line), secrets, signal)
  const pid = Number(connection.tools[0]?.description)
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  return { ...connection, pid }
}

function unexpected(): never {
  throw new Error('a limit was met')
}

async function siteOf(answer: RequestListener): Promise<string> {
  const site = createServer(answer)
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    site.closeAllConnections()
    site.close()
  })
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
}

describe('a hostile MCP server', () => {
  it.each([
    ['empty lines', '\n', tooMany],
    ['what is no message', '{}\n', tooMany],
    ['requests whose answers it does not read', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n', tooMany],
    ['notifications', '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n', tooMany],
    ['a line without an end', 'x', tooLarge],
  ])(
    'that writes %s for ever is ended, and the reason is told with the limit',
    async (_name, line, reason) => {
      const { ended, pid } = await connected(line)
      expect(await ended).toEqual(reason)
      await expect.poll(() => isAlive(pid)).toBe(false)
    },
    30_000,
  )

  it('has no schema run over its results, and one tool of a name', async () => {
    const all = createToolServers({
      log: silentLog,
      settings: {
        get: () => ({ toolServers: [hostile('-')] }),
        watch: () => createBroadcast<void>().subscribe(signal),
      },
      environment: secrets.environment,
      secrets: { get: async () => undefined, set: async () => undefined, remove: async () => undefined },
    })
    onTestFinished(() => all.close())
    const made = all.within('/projects/here')
    await all.start('hostile')
    const [tool, ...others] = made.offered()
    if (tool === undefined) throw new Error('no tool')
    onTestFinished(() => void process.kill(Number(tool.description), 'SIGKILL'))
    expect(others).toEqual([])
    expect(await made.call(tool, {}, signal)).toMatchObject({ isOk: true })
  }, 30_000)

  it('loses the tool whose schema no stack holds, and no other', () => {
    let deep: Record<string, unknown> = {}
    for (let level = 0; level < 200_000; level++) deep = { a: deep }
    const tools = [
      { name: 'deep', description: '', inputSchema: deep },
      { name: 'plain', description: '', inputSchema: { type: 'object' } },
    ]
    expect(offeredOf(hostile(''), tools)).toMatchObject({ tools: [{ name: 'plain' }], leftOut: 1 })
    expect([...declaredOf(hostile(''), tools).keys()]).toEqual(['plain'])
  })

  it('that hears of no end is gone with the host', async () => {
    const module = (name: string) => pathToFileURL(`${import.meta.dirname}/${name}`).href
    const host = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { connectServer } = await import(${JSON.stringify(module('server-connection.ts'))})
      const secrets = { environment: async () => ({}), keys: async () => ({}) }
      const { tools } = await connectServer(${JSON.stringify(hostile('-'))}, secrets, new AbortController().signal)
      process.stdout.write(tools[0].description, () => process.exit())`,
    ])
    let said = ''
    host.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    await new Promise((done) => host.once('close', done))
    const pid = Number(said)
    expect(pid).toBeGreaterThan(0)
    await expect.poll(() => isAlive(pid)).toBe(false)
  }, 30_000)

  it.each([
    ['an answer', 'application/json', 'x'.repeat(100)],
    ['a message of a stream', 'text/event-stream', `data: ${'x'.repeat(100)}\n`],
  ])(
    'at an address that sends %s without end is ended',
    async (_name, type, part) => {
      const address = await siteOf((_, response) => {
        response.writeHead(200, { 'content-type': type })
        const more = (): void => void (response.destroyed || response.write(part.repeat(1_000), more))
        more()
      })
      const site: ToolServer = { name: 'endless', isOn: true, transport: { kind: 'http', address } }
      await expect(connectServer(site, secrets, signal)).rejects.toMatchObject({ info: tooLarge })
    },
    30_000,
  )

  it('at an address speaks on in a stream as long as it likes, message by message', async () => {
    let parts = 0
    const address = await siteOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = (): void => {
        parts += 1
        if (parts > 30) response.end()
        else response.write(`data: ${'x'.repeat(500_000)}\n\n`, more)
      }
      more()
    })
    expect((await (await limitedFetch(unexpected)(address)).text()).length).toBeGreaterThan(15_000_000)
  }, 30_000)

  it('at an address that ends its stream at once is not asked without end', async () => {
    let asked = 0
    const address = await siteOf((_, response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n')
    })
    const fetching = limitedFetch(unexpected)
    const until = AbortSignal.timeout(500)
    const again = async (): Promise<void> => {
      while (!until.aborted) await fetching(address, { method: 'GET', signal: until })
    }
    await again().catch(() => undefined)
    expect(asked).toBe(1)
  })
})

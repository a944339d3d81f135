import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { changingServer } from '../../../tests/fakes/servers/changing-server.ts'
import { hostileServer } from '../../../tests/fakes/servers/hostile-server.ts'
import { mortalServer } from '../../../tests/fakes/servers/mortal-server.ts'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import { AppError } from '../../shared/errors.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import { ServerFailure } from './server-failure.ts'
import { createToolServers, type ServerTools, type ToolServers } from './tool-servers.ts'

const packages = resolve(import.meta.dirname, '../../../node_modules/@modelcontextprotocol')
const everything = `${packages}/server-everything/dist/index.js`
const stdio = (name: string, ...args: string[]): ToolServer => ({
  name,
  isOn: true,
  transport: { kind: 'stdio', command: process.execPath, args },
})
const signal = new AbortController().signal
/** The problem of a server that failed by itself, with its own or the system's words. */
const reported = (reason: unknown) => ({ code: 'mcp/failed', reason })

function servers(...toolServers: ToolServer[]) {
  const settings = { value: { toolServers } }
  const changes = createBroadcast<void>()
  const secrets = new Map<string, string>()
  const all = createToolServers({
    log: silentLog,
    settings: { get: () => settings.value, watch: (end) => changes.subscribe(end) },
    environment: async () => ({ PATH: process.env.PATH ?? '' }),
    secrets: {
      get: async (name) => secrets.get(name),
      set: async (name, value) => void secrets.set(name, value),
      remove: async (name) => void secrets.delete(name),
    },
  })
  onTestFinished(() => all.close())
  const made = { ...all, ...all.within('/projects/here') }
  return {
    made,
    secrets,
    set(next: ToolServer[]) {
      settings.value = { toolServers: next }
      changes.send()
    },
  }
}

async function stateOf(made: ToolServers, name: string) {
  for await (const { servers: all } of made.watch(signal)) return all.find((one) => one.name === name)
  return undefined
}

async function reached(made: ToolServers, name: string, state: string): Promise<void> {
  for await (const { servers: all } of made.watch(signal))
    if (all.some((one) => one.name === name && one.state === state)) return
}

/** Starts them all and waits until each has answered or failed. */
async function started(made: ToolServers & ServerTools): Promise<void> {
  made.begin()
  for await (const { servers: all } of made.watch(signal))
    if (all.every(({ state }) => state !== 'starting' && state !== 'idle')) return
}

function call(made: ServerTools, callName: string, args: Record<string, unknown>) {
  const tool = made.offered().find((one) => one.callName === callName)
  if (tool === undefined) throw new Error(`no ${callName} among ${made.offered().map((one) => one.callName)}`)
  return made.call(tool, args, signal)
}

describe('MCP servers', () => {
  it('are used in the folder that proposed them alone, and run there', async () => {
    const folder = tempFolder()
    const here = { ...stdio('own', everything, 'stdio'), folder: '/projects/other' }
    const { made } = servers(here, {
      ...stdio('gone', '-e', 'process.stderr.write(process.cwd()); process.exit(1)'),
      folder,
    })
    expect(made.begin()).toEqual([])
    expect((await stateOf(made, 'own'))?.state).toBe('idle')
    made.within(folder).begin()
    await reached(made, 'gone', 'failed')
    expect((await stateOf(made, 'gone'))?.problem).toEqual(reported(expect.stringContaining(folder)))
  })

  it('are started when they are needed, and their tools called', async () => {
    const folder = tempFolder()
    const { made, set } = servers(
      stdio('all', everything, 'stdio'),
      stdio('files', `${packages}/server-filesystem/dist/index.js`, folder),
      { ...stdio('off', 'nothing'), isOn: false },
    )
    expect((await stateOf(made, 'all'))?.state).toBe('idle')
    await started(made)
    await reached(made, 'all', 'ready')
    await reached(made, 'files', 'ready')
    expect(await call(made, 'mcp__all__echo', { message: 'hello' })).toEqual({
      isOk: true,
      text: 'Echo: hello',
    })
    await call(made, 'mcp__files__write_file', { path: `${folder}/a.txt`, content: 'written' })
    const read = await call(made, 'mcp__files__read_text_file', { path: `${folder}/a.txt` })
    expect(read).toEqual({ isOk: true, text: 'written' })
    const outside = await call(made, 'mcp__files__read_text_file', { path: '/etc/hostname' })
    expect(outside).toMatchObject({ isOk: false, text: expect.stringContaining('outside') })
    expect((await stateOf(made, 'off'))?.state).toBe('off')
    set([stdio('all', everything, 'stdio')])
    await expect.poll(() => made.offered().some(({ server }) => server === 'files')).toBe(false)
  })

  it('are asked at an address', async () => {
    const port = await freePort()
    const child = spawn(process.execPath, [everything, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill())
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/mcp`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    const { made } = servers({
      name: 'web',
      isOn: true,
      transport: { kind: 'http', address: `http://127.0.0.1:${port}/mcp` },
    })
    await started(made)
    expect(await call(made, 'mcp__web__get-sum', { a: 2, b: 3 })).toMatchObject({
      isOk: true,
      text: expect.stringContaining('5'),
    })
  })

  it.each([
    [404, 'Session not found'],
    [400, '{"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}'],
  ])('at an address that were started anew are reached again by the next call, by %s', async (...unknown) => {
    const site = restartedSite(...unknown)
    await new Promise<void>((done) => site.server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void site.server.close())
    const { port } = site.server.address() as AddressInfo
    const transport = { kind: 'http' as const, address: `http://127.0.0.1:${port}/mcp` }
    const { made } = servers({ name: 'web', isOn: true, transport })
    await started(made)
    expect(await call(made, 'mcp__web__say', {})).toEqual({ isOk: true, text: 'said 1' })
    site.restart()
    await expect(call(made, 'mcp__web__say', {})).rejects.toMatchObject({ when: 'forgotten' })
    expect((await stateOf(made, 'web'))?.state).toBe('ended')
    expect(await call(made, 'mcp__web__say', {})).toEqual({ isOk: true, text: 'said 2' })
    expect((await stateOf(made, 'web'))?.state).toBe('ready')
  })

  it('have their keys in the environment, from the secret store alone, until they are removed', async () => {
    const server = { ...stdio('all', everything, 'stdio'), keys: ['SERVICE_KEY'] }
    const { made, set, secrets } = servers(server)
    await made.setKey('all', 'SERVICE_KEY', 'only-for-it')
    await started(made)
    const { text } = await call(made, 'mcp__all__get-env', {})
    expect(JSON.parse(text)).toMatchObject({ SERVICE_KEY: 'only-for-it' })
    expect(JSON.stringify(await stateOf(made, 'all'))).not.toContain('only-for-it')
    expect([...secrets]).toEqual([['mcp:all:SERVICE_KEY', 'only-for-it']])
    set([])
    await expect.poll(() => secrets.size).toBe(0)
  })

  it('send their keys as headers to an address', async () => {
    const heard: (string | undefined)[] = []
    const site = createHttpServer((request, response) => {
      heard.push(request.headers.authorization)
      response.writeHead(500).end()
    })
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
    onTestFinished(() => void site.close())
    const { port } = site.address() as AddressInfo
    const transport = { kind: 'http' as const, address: `http://127.0.0.1:${port}/mcp` }
    const { made } = servers({ name: 'web', isOn: true, transport, keys: ['Authorization'] })
    await made.setKey('web', 'Authorization', 'Bearer x')
    await started(made)
    expect(heard[0]).toBe('Bearer x')
    expect((await stateOf(made, 'web'))?.state).toBe('failed')
  })

  it('that end in a call are started once more by the next one, and no third time', async () => {
    const { made } = servers(stdio('frail', '-e', mortalServer, `${tempFolder()}/starts`))
    await started(made)
    expect((await call(made, 'mcp__frail__say', { word: 'a' })).text).toBe('a 1')
    const died = call(made, 'mcp__frail__say', { word: 'die' })
    await expect(died).rejects.toMatchObject({ name: 'ServerFailure', when: 'during' })
    expect((await stateOf(made, 'frail'))?.state).toBe('ended')
    expect((await call(made, 'mcp__frail__say', { word: 'b' })).text).toBe('b 2')
    await expect(call(made, 'mcp__frail__say', { word: 'die' })).rejects.toThrow(ServerFailure)
    await expect(call(made, 'mcp__frail__say', { word: 'c' })).rejects.toMatchObject({ when: 'down' })
    expect(await stateOf(made, 'frail')).toMatchObject({
      state: 'failed',
      problem: reported('third time unlucky'),
    })
    await expect(call(made, 'mcp__frail__say', { word: 'd' })).rejects.toMatchObject({ when: 'down' })
    await made.start('frail')
    expect((await call(made, 'mcp__frail__say', { word: 'e' })).text).toBe('e 4')
  })

  it('have another fingerprint for all that is another of a tool or of its server, and are not called by an older one', async () => {
    const file = `${tempFolder()}/tools.json`
    const say = {
      name: 'say',
      description: 'Says. '.repeat(400),
      inputSchema: { type: 'object', properties: {} },
    }
    const server = stdio('x', '-e', changingServer, file)
    const { made, set } = servers()
    const listed = async (tool: object, as: ToolServer = server) => {
      writeFileSync(file, JSON.stringify([tool, { ...say, name: 'Say' }]))
      set([])
      await expect.poll(() => stateOf(made, 'x')).toBeUndefined()
      set([as])
      await made.start('x')
      return made.offered()
    }
    const [first, other] = await listed(say)
    const [same] = await listed(say)
    if (first === undefined || other === undefined) throw new Error('no tools')
    expect(same?.declared).toEqual(first.declared)
    expect(first.declared.description).toHaveLength(1_000)
    const program = {
      ...server.transport,
      args: ['-e', changingServer, file, 'more'],
    } as ToolServer['transport']
    const others = [
      await listed({ ...say, description: `${say.description}Also.` }),
      await listed({ ...say, inputSchema: { ...say.inputSchema, required: ['word'] } }),
      await listed({
        ...say,
        inputSchema: { ...say.inputSchema, properties: { word: { description: 'all' } } },
      }),
      await listed(say, { ...server, transport: program }),
      await listed(say, { ...server, keys: ['KEY'] }),
    ]
    const all = [first, other, ...others.flatMap(([tool]) => tool ?? [])].map(
      ({ declared }) => declared.fingerprint,
    )
    expect(new Set(all).size).toBe(7)
    await expect(made.call(first, { word: 'one' }, signal)).rejects.toMatchObject({ when: 'changed' })
  })

  it('that ended list their tools anew: what is declared stays, what a call is held to follows', async () => {
    const file = `${tempFolder()}/tools.json`
    const list = (...tools: object[]): void => writeFileSync(file, JSON.stringify(tools))
    const say = { name: 'say', description: 'Says.', inputSchema: { type: 'object' } }
    list(say)
    const { made } = servers(stdio('x', '-e', changingServer, file))
    await started(made)
    await expect(call(made, 'mcp__x__say', { word: 'die' })).rejects.toMatchObject({ when: 'during' })
    list({ ...say, description: 'Deletes.' })
    await expect(call(made, 'mcp__x__say', { word: 'one' })).rejects.toMatchObject({ when: 'changed' })
    expect(made.offered()).toMatchObject([{ description: 'Says.', declared: { description: 'Deletes.' } }])
    expect(await call(made, 'mcp__x__say', { word: 'two' })).toEqual({ isOk: true, text: 'said two' })
    await expect(call(made, 'mcp__x__say', { word: 'die' })).rejects.toThrow(ServerFailure)
    list()
    await made.start('x')
    expect(made.offered()).toMatchObject([{ declared: { fingerprint: '', description: '' } }])
    await expect(call(made, 'mcp__x__say', { word: 'three' })).rejects.toMatchObject({ when: 'changed' })
  })

  it.each([
    ['notifications', '{"jsonrpc":"2.0","method":"x"}\n', { code: 'mcp/too-many', limit: 2_000 }],
    ['a line without an end', 'x', { code: 'mcp/too-large', limitBytes: 10_000_000 }],
  ])(
    'that write %s for ever are ended, which their state tells by a code',
    async (_name, line, problem) => {
      const { made } = servers(stdio('flood', '-e', hostileServer, line))
      await started(made)
      await reached(made, 'flood', 'ended')
      expect((await stateOf(made, 'flood'))?.problem).toEqual(problem)
    },
    30_000,
  )

  it('whose key store is locked say so', async () => {
    const { made, secrets } = servers({ ...stdio('all', everything, 'stdio'), keys: ['SERVICE_KEY'] })
    secrets.get = () => {
      throw new AppError({ code: 'secret/store-locked' })
    }
    await started(made)
    expect(await stateOf(made, 'all')).toMatchObject({
      state: 'failed',
      problem: { code: 'secret/store-locked' },
    })
  })

  it('that are no program, or no server, say what is wrong', async () => {
    const { made } = servers(
      { name: 'none', isOn: true, transport: { kind: 'stdio', command: '/no/such/program', args: [] } },
      stdio('mute', '-e', 'process.stderr.write("no key given\\n"); process.exit(2)'),
      stdio('lost', '/no/such/server.cjs'),
    )
    await started(made)
    expect(await stateOf(made, 'none')).toMatchObject({
      state: 'failed',
      problem: reported(expect.stringContaining('ENOENT')),
    })
    expect(await stateOf(made, 'mute')).toMatchObject({ state: 'failed', problem: reported('no key given') })
    expect((await stateOf(made, 'lost'))?.problem).toEqual(
      reported(expect.stringContaining("Cannot find module '/no/such/server.cjs'")),
    )
    expect(made.offered()).toEqual([])
  })
})

/** A server at an address that knows only the sessions since its last start. */
function restartedSite(unknownCode: number, unknownText: string) {
  let session = 0
  let since = 1
  let calls = 0
  const results: Record<string, (params: { protocolVersion?: string }) => object> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'web', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'say', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: `said ${++calls}` }] }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    const known = Number(request.headers['mcp-session-id'] ?? 0)
    if (method !== 'initialize' && known < since) return response.writeHead(unknownCode).end(unknownText)
    if (id === undefined) return response.writeHead(202).end()
    const headers = { 'content-type': 'application/json', 'mcp-session-id': String(known || ++session) }
    const result = results[method]?.(params) ?? {}
    return response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const server = createHttpServer((request, response) => void answer(request, response))
  const restart = (): void => {
    since = session + 1
  }
  return { server, restart }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })
}

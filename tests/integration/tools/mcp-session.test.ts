import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'
import { mortalServer } from '../../fakes/servers/mortal-server.ts'
import { calls, isForSuggestion } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }
const server = resolve(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)
const toolServers = [
  {
    name: 'all',
    isOn: true,
    transport: { kind: 'stdio' as const, command: process.execPath, args: [server, 'stdio'] },
  },
]
const echo = (message: unknown) => calls(['mcp__all__echo', { message }])

type Session = Awaited<ReturnType<typeof scriptedHost>>
type Asked = Pick<AskedRequest, 'messages'> & {
  tools?: { function: { name: string } }[]
  max_tokens?: number
}

function asked({ llama }: Session): Asked[] {
  return llama.requests
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body as Asked)
    .filter((body) => !isForSuggestion(body) && body.max_tokens !== 1)
}

const namesIn = (body: Asked | undefined): string[] => (body?.tools ?? []).map((tool) => tool.function.name)
const lastText = (session: Session): string => JSON.stringify(asked(session).at(-1)?.messages.at(-1))

it('offers the tools of an added server to a session, and asks before each until one is allowed', async () => {
  const session = await scriptedHost(
    [
      echo('first'),
      echo('second'),
      echo(7),
      calls(['mcp__all__none', {}], ['mcp__other__echo', {}]),
      calls(['mcp__all__get-sum', { a: '1', b: 2 }]),
      { say: 'Echoed.' },
    ],
    { decideFirst: 'auto', isTrusted: true },
  )
  await session.app.api['settings.update']({ patch: { toolServers } }, context)
  await session.app.api['toolServer.start']({ name: 'all' }, context)
  await session.say('Echo it')
  await session.rest()
  const first = await session.gate()
  expect(first?.gate.calls[0]).toMatchObject({
    tool: 'mcp',
    patterns: ['all/echo'],
    outside: { place: 'all/echo', line: 'all/echo {\n  "message": "first"\n}' },
    risk: { level: 'medium', reasons: [{ code: 'service', detail: 'all/echo' }] },
  })
  expect(namesIn(asked(session)[0])).toContain('mcp__all__echo')
  await session.answer('approve', { remember: 'session' })
  await session.rest()
  const other = await session.gate()
  // A number that came as text is asked about, and given to the server, as the number that its schema wants.
  expect(other?.gate.calls[0]?.outside).toEqual({
    place: 'all/get-sum',
    line: 'all/get-sum {\n  "a": 1,\n  "b": 2\n}',
  })
  const told = asked(session).map(({ messages }) => JSON.stringify(messages.at(-1)))
  expect(told[1]).toContain('Echo: first')
  expect(told[2]).toContain('Echo: second')
  expect(told[3]).toContain('Input validation error')
  expect(told[4]).toContain('mcp__other__echo')
  await session.answer('refuse', { reason: 'no sums' })
  await session.rest()
  expect(lastText(session)).toContain('no sums')
  expect(session.bugs).toEqual([])
  const items = await session.items()
  expect(items.filter((item) => item.kind === 'call' && item.tool === 'mcp')).toHaveLength(6)
  const heads = asked(session).map((body) => JSON.stringify(body.tools))
  expect(new Set(heads).size).toBe(1)
})

it('waits for no slow server: its tools come with a later request, and the user is told', async () => {
  const session = await scriptedHost([{ say: 'I have none.' }, { say: 'Now I have.' }], {
    decideFirst: 'auto',
    isTrusted: true,
  })
  const { api } = session.app
  const slow = `setTimeout(() => import(${JSON.stringify(pathToFileURL(server).href)}), 1_500)`
  const transport = { kind: 'stdio' as const, command: process.execPath, args: ['-e', slow] }
  const patch = { toolServers: [{ name: 'slow', isOn: true, transport }] }
  await api['settings.update']({ patch }, context)
  await session.say('Which tools have you?')
  await session.rest()
  expect(asked(session).flatMap(namesIn)).not.toContain('mcp__slow__echo')
  const notices = (await session.items()).filter((item) => item.kind === 'notice')
  expect(notices).toMatchObject([{ notice: { kind: 'servers-starting', names: ['slow'] } }])
  for await (const { servers } of api['toolServer.watch']({}, context))
    if (servers[0]?.state === 'ready') break
  await session.say('And now?')
  await session.rest()
  expect(namesIn(asked(session).at(-1))).toContain('mcp__slow__echo')
  expect((await session.items()).filter((item) => item.kind === 'notice')).toHaveLength(1)
})

it('offers no such tool where the folder is not trusted, and none in mode plan is called', async () => {
  const untrusted = await scriptedHost([echo('x'), { say: 'I cannot.' }], {
    decideFirst: 'auto',
    isTrusted: false,
  })
  await untrusted.app.api['settings.update']({ patch: { toolServers } }, context)
  await untrusted.say('Echo it')
  expect((await untrusted.rest()).openGates).toEqual([])
  expect(asked(untrusted).flatMap(namesIn)).not.toContain('mcp__all__echo')

  const planning = await scriptedHost([echo('x'), { say: 'Later.' }], {
    decideFirst: 'auto',
    isTrusted: true,
  })
  const { api } = planning.app
  await api['settings.update']({ patch: { toolServers } }, context)
  await api['session.setMode']({ sessionId: planning.sessionId, mode: 'plan' }, context)
  await planning.say('Echo it')
  expect((await planning.rest()).openGates).toEqual([])
  expect(lastText(planning)).not.toContain('Echo: x')
})

it('tells of the servers that a trusted folder proposes, and starts none before the user has added it', async () => {
  const proposal = {
    mcpServers: { 'Own Tools': { command: process.execPath, args: ['server.cjs', 'starts'] } },
  }
  const session = await scriptedHost([{ say: 'Hi.' }, { say: 'Hi again.' }, { say: 'Now I have one.' }], {
    decideFirst: 'auto',
    isTrusted: false,
    files: { '.mcp.json': JSON.stringify(proposal), 'server.cjs': mortalServer },
  })
  const { workId } = session
  const { api } = session.app
  const proposed = async () => (await api['toolServer.proposed']({ workId }, context)).servers
  expect(await proposed()).toEqual([])
  await api['trust.set']({ workId, isTrusted: true }, context)
  for (const text of ['Hello', 'Hello again']) {
    await session.say(text)
    await session.rest()
  }
  const notices = (await session.items()).filter((item) => item.kind === 'notice')
  expect(notices).toMatchObject([{ notice: { kind: 'servers-proposed', names: ['own-tools'] } }])
  expect(() => session.read('starts')).toThrow()
  const [own] = await proposed()
  if (own === undefined) throw new Error('nothing is proposed')
  await api['settings.update']({ patch: { toolServers: [own.server] } }, context)
  expect(await proposed()).toEqual([])
  await api['toolServer.start']({ name: 'own-tools' }, context)
  expect(session.read('starts')).toBe('1')
  await session.say('And now?')
  await session.rest()
  expect(namesIn(asked(session).at(-1))).toContain('mcp__own-tools__say')
  await api['settings.update']({ patch: { toolServers: [] } }, context)
  const patch = { dismissedServers: [own.hash] }
  await api['work.updateSettings']({ workId, patch }, context)
  expect(await proposed()).toEqual([])
})

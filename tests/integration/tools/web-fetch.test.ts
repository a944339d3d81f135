import { expect, it } from 'vitest'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'
import { pageServer } from '../../fakes/servers/page-server.ts'
import { calls, isForSuggestion } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }
const lines = Array.from({ length: 2_000 }, (_, at) => `<p>Line ${at} of the page.</p>`).join('')

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

it('reads a page of a site that the user has approved, part by part, and asks again for another site', async () => {
  const server = await pageServer({
    '/guide': `<title>Guide</title><h1>Guide</h1>${lines}`,
    '/b': '<p>b</p>',
  })
  const at = (site: string, path: string): string => `http://${site}:${server.port}${path}`
  const fetchOf = (url: string, more: object = {}) =>
    calls(['web_fetch', { url, reason: 'asked for', ...more }])
  const session = await scriptedHost(
    [
      fetchOf(at('docs.test', '/guide')),
      fetchOf(at('docs.test', '/guide'), { from: 1_000 }),
      fetchOf(at('other.test', '/b')),
      { say: 'I read the guide.' },
    ],
    {
      decideFirst: 'auto',
      isTrusted: true,
      pageNetwork: server.network,
      llama: { contextTokens: 65_536 },
    },
  )
  const { api } = session.app
  await api['settings.update']({ patch: { isWebFetchOn: true } }, context)
  await session.say('Read the guide')
  await session.rest()
  const asking = await session.gate()
  expect(server.asked).toEqual([])
  expect(asking?.gate.calls[0]).toMatchObject({
    tool: 'web_fetch',
    patterns: [`docs.test:${server.port}`],
    outside: { place: `docs.test:${server.port}`, line: at('docs.test', '/guide') },
    risk: { level: 'medium', reasons: [{ code: 'site' }] },
  })
  await session.answer('approve', { remember: 'session' })
  await session.rest()
  const other = await session.gate()
  expect(other?.gate.calls[0]?.outside?.place).toBe(`other.test:${server.port}`)
  expect(lastText(session)).toContain('read on with from')
  await session.answer('refuse', { reason: 'the guide is enough' })
  await session.rest()
  expect(lastText(session)).toContain('the guide is enough')
  expect(server.asked).toEqual([`docs.test:${server.port} /guide`])
  const items = await session.items()
  const views = items.flatMap((item) => (item.kind === 'call' && item.view ? [item.view] : []))
  expect(views).toMatchObject([
    { kind: 'page', title: 'Guide', isCut: true },
    { kind: 'page', title: 'Guide', isCut: true },
  ])
  const { entries } = await api['session.audit']({ sessionId: session.sessionId, limit: 20 }, context)
  expect(entries.map(({ tool, verdict }) => `${tool} ${verdict}`).sort()).toEqual([
    'web_fetch approved',
    'web_fetch granted',
    'web_fetch refused',
  ])
})

it.each([
  'http://127.0.0.1:9/notes',
  'http://localhost:9/notes',
  'http://[::1]:9/notes',
  'http://192.168.0.1/',
  'http://2130706433/',
])('asks nobody about %s, which it would not fetch', async (url) => {
  const session = await scriptedHost(
    [calls(['web_fetch', { url, reason: 'asked for' }]), { say: 'Only public sites can be read.' }],
    { decideFirst: 'auto', isTrusted: true },
  )
  await session.app.api['settings.update']({ patch: { isWebFetchOn: true } }, context)
  await session.say('Read the notes')
  await session.rest()
  expect(await session.gate()).toBeUndefined()
  expect(lastText(session)).toContain('Only public sites are fetched')
  expect(session.mind.left).toEqual([])
})

it('is declared only while the user has it on, and fetches nothing while it is off', async () => {
  const server = await pageServer({ '/': '<p>page</p>' })
  const url = `http://docs.test:${server.port}/`
  const session = await scriptedHost(
    [
      { say: 'Hello.' },
      calls(['web_fetch', { url, reason: 'asked for' }]),
      { say: 'I cannot.' },
      { say: 'On now.' },
    ],
    { decideFirst: 'auto', pageNetwork: server.network },
  )
  await session.say('Hello')
  await session.rest()
  await session.say('Read it')
  expect((await session.rest()).openGates).toEqual([])
  expect(server.asked).toEqual([])
  expect(asked(session).flatMap(namesIn)).not.toContain('web_fetch')
  await session.app.api['settings.update']({ patch: { isWebFetchOn: true } }, context)
  await session.say('And now?')
  await session.rest()
  expect(namesIn(asked(session).at(-1))).toContain('web_fetch')
})

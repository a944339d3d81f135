/** A question about the folder that another model answers by reading in it. */
import { expect, it, onTestFinished } from 'vitest'
import type { LlamaOptions } from '../../fakes/servers/fake-llama-server.ts'
import { servedModel, startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { calls, scriptedMind, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }
const question = 'Where is the date formatted, and who calls it?'
const files = {
  'src/date.ts': 'export function dateText() {\n  return "1 May"\n}\n',
  'src/page.ts': 'import { dateText } from "./date.ts"\nconsole.log(dateText())\n',
  '.env': 'KEY=sk-123456\n',
}

type Asked = { messages: { role: string; content: string }[]; tools?: { function: { name: string } }[] }

const askedOf = (server: { requests: { path: string; body?: unknown }[] }): Asked[] =>
  server.requests
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body as Asked & { max_tokens?: number })
    .filter(({ max_tokens }) => max_tokens !== 1)
const namesIn = (asked: Asked | undefined): string[] => (asked?.tools ?? []).map((tool) => tool.function.name)

/** A host with a second server, whose model thinks `thoughts`. */
async function withHelper(
  spoken: readonly Thought[],
  thoughts: readonly Thought[],
  options: Omit<LlamaOptions, 'answer'> = {},
) {
  const mind = scriptedMind(...thoughts)
  const helper = await startSessionLlama({ ...options, answer: mind.answer })
  onTestFinished(() => helper.close())
  const session = await scriptedHost(spoken, { decideFirst: 'auto', files })
  const { api } = session.app
  const { profiles } = await api['profile.list']({}, context)
  const main = profiles.at(-1)?.id ?? null
  const { profile } = await api['model.use'](servedModel(helper.address, 'helper'), context)
  await api['profile.select']({ profileId: main, role: 'main' }, context)
  await api['profile.select']({ profileId: profile.id, role: 'fast' }, context)
  return { session, helper, helperAsked: () => askedOf(helper) }
}

const lastText = ({ llama }: SessionHost): string => JSON.stringify(askedOf(llama).at(-1)?.messages.at(-1))

it('is answered by the helper model, with calls that only read, and costs the conversation nothing', async () => {
  const { session, helperAsked } = await withHelper(
    [calls(['explore', { question }]), { say: 'It is in date.ts.' }],
    [
      calls(
        ['grep', { pattern: 'dateText' }],
        ['read_file', { path: '.env' }],
        ['delete_file', { path: 'src/page.ts', reason: 'x' }],
      ),
      { say: 'Formatted in src/date.ts:1, called in src/page.ts:2.' },
    ],
  )
  await session.say('Where are dates made?')
  await session.rest()
  const [first, second] = helperAsked()
  expect(namesIn(first)).toEqual(['glob', 'grep', 'list_directory', 'read_file'])
  expect(first?.messages.at(-1)?.content).toContain(question)
  expect(first?.messages.at(-1)?.content).toContain('src/')
  const results = second?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  expect(results?.[0]).toContain('src/page.ts')
  expect(results?.[1]).toContain('The user would have to be asked')
  expect(results?.[2]).toContain('There is no tool named "delete_file"')
  expect(JSON.stringify(helperAsked())).not.toContain('sk-123456')
  expect(helperAsked()).toHaveLength(2)
  expect(lastText(session)).toContain('src/date.ts:1')
  expect(askedOf(session.llama)).toHaveLength(2)
  expect(session.read('src/page.ts')).toContain('dateText')
  const items = await session.items()
  expect(items.filter(({ kind }) => kind === 'call')).toMatchObject([{ state: 'done' }])
})

it('is not offered where it would take the conversation’s cache, or where the user has it off', async () => {
  const session = await scriptedHost([{ say: 'Hello.' }], { decideFirst: 'auto', files })
  await session.say('Hello')
  await session.rest()
  expect(askedOf(session.llama).flatMap(namesIn)).not.toContain('explore')

  const { session: other, helperAsked } = await withHelper([{ say: 'Hello.' }, { say: 'Still here.' }], [])
  await other.say('Hello')
  await other.rest()
  expect(namesIn(askedOf(other.llama).at(-1))).toContain('explore')
  await other.app.api['settings.update']({ patch: { isExploreOn: false } }, context)
  await other.say('And now?')
  await other.rest()
  expect(namesIn(askedOf(other.llama).at(-1))).not.toContain('explore')
  expect(helperAsked()).toEqual([])
})

it.each([
  ['has no room left', { contextTokens: 3_000 }, [{ say: 'Only src/date.ts:1 so far.' }], 'src/date.ts:1'],
  ['says nothing', {}, [{ say: '' }], 'found no answer'],
  ['names no place', {}, [{ say: 'Somewhere.' }], 'names no place'],
  ['names what it has not seen', {}, [{ say: 'In lib/none.ts:3.' }], 'not seen while exploring: lib/none.ts'],
  ['is gone', 'gone', [], 'The model that explores failed (model/unreachable)'],
] as const)('ends with a word to the model where the helper %s', async (_, options, thoughts, told) => {
  const { session, helper } = await withHelper(
    [calls(['explore', { question }]), { say: 'I looked myself.' }],
    thoughts,
    options === 'gone' ? {} : options,
  )
  if (options === 'gone') await helper.close()
  await session.say('Where are dates made?')
  await session.rest()
  expect(lastText(session)).toContain(told)
})

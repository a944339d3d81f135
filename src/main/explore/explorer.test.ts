import { expect, it } from 'vitest'
import { ScriptedClient } from '../../../tests/fakes/agent/scripted-client.ts'
import { defaultTimeouts, type OpenaiProfile } from '../../shared/domain/model/model-profile.ts'
import type { ModelEvent } from '../models/client/model-client.ts'
import { createExplorer, type ExplorerDeps } from './explorer.ts'

/** Answers each request only when the test says so. */
class WaitingClient extends ScriptedClient {
  asked = 0
  #go: () => void = () => undefined
  readonly #gone = new Promise<void>((resolve) => {
    this.#go = resolve
  })

  constructor() {
    super({ capabilities: { hasTools: true }, answer: () => 'In a.ts:1.' })
  }

  answerAll(): void {
    this.#go()
  }

  override async *chat(...given: Parameters<ScriptedClient['chat']>): AsyncGenerator<ModelEvent> {
    this.asked += 1
    await this.#gone
    yield* super.chat(...given)
  }
}

const profileAt = (address: string, flavour: string) =>
  ({ id: 'p', backend: 'openai', address, flavour, model: 'm', timeouts: defaultTimeouts }) as const

function explorerOf(client: ScriptedClient, profile: ReturnType<typeof profileAt>) {
  const active = { client, modelName: 'm', profile: profile as unknown as OpenaiProfile }
  return createExplorer({
    active: async () => active as unknown as Awaited<ReturnType<ExplorerDeps['active']>>,
    words: {
      system: () => 'Explore.',
      question: (question) => question,
      last: () => 'Answer now.',
      unknownTool: (name) => name,
      needsLeave: (title) => title,
    },
    toolbox: () => ({ declarations: [], prepare: async () => [] }),
    refused: async () => new Map(),
    repair: (args) => args,
    random: { id: () => 'id', next: () => 0 },
    sessionId: 's',
  })
}

const hooks = { onStep: () => undefined, signal: new AbortController().signal }

it.each([
  ['at once on a service that serves many', 'https://api.example.org/v1', 'other', 2],
  ['one after the other on a server of the user’s own', 'http://127.0.0.1:8080', 'llama.cpp', 1],
] as const)('explores %s', async (_, address, flavour, atOnce) => {
  const client = new WaitingClient()
  const explorer = explorerOf(client, profileAt(address, flavour))
  const both = Promise.all([explorer.explore('one?', hooks), explorer.explore('two?', hooks)])
  // Everything before the answers has happened when the queue of microtasks and timers is empty.
  for (let turns = 0; turns < 20; turns++) await new Promise((done) => setImmediate(done))
  expect(client.asked).toBe(atOnce)
  client.answerAll()
  expect((await both).map(({ text }) => text)).toEqual(['In a.ts:1.', 'In a.ts:1.'])
  expect(client.asked).toBe(2)
  expect(client.requests.map(({ maxTokens }) => maxTokens)).toEqual([2_000, 2_000])
})

it.each([
  ['points and letters', `${'.漢'.repeat(200_000)}!`],
  ['letters without a point', 'a'.repeat(400_000)],
  ['numbers of lines', 'a.ts:1'.repeat(80_000)],
])('is over at once where an answer is made of %s', { timeout: 60_000 }, async (_, answer) => {
  const client = new ScriptedClient({ capabilities: { hasTools: true }, answer: () => answer })
  const explorer = explorerOf(client, profileAt('http://127.0.0.1:8080', 'llama.cpp'))
  expect((await explorer.explore('where?', hooks)).text).toBe(answer)
})

it('counts the places that an answer cites, and names files that nothing has shown', async () => {
  const answer = 'In `src/a.ts:12`, (b.test.ts:3) and 小説/第一章.md:7。See v1:2, a.ts:x and src/a.ts:13.'
  const client = new ScriptedClient({ capabilities: { hasTools: true }, answer: () => answer })
  const explorer = explorerOf(client, profileAt('http://127.0.0.1:8080', 'llama.cpp'))
  expect(await explorer.explore('where?', hooks)).toMatchObject({
    places: 4,
    unseen: ['src/a.ts', 'b.test.ts', '小説/第一章.md'],
  })
})

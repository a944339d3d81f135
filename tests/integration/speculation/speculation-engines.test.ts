/** The cost of a speculation for the prompt cache, by the engines' counts: the real one, and KoboldCpp as recorded. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { unheard } from '../../../src/main/agent/model/background-requests.ts'
import { EngineProcess } from '../../../src/main/engine/engine-process.ts'
import { controlStringsOf } from '../../../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../../../src/main/models/completion/request-queue.ts'
import { createEmbeddedClient } from '../../../src/main/models/embedded/embedded-client.ts'
import { createKoboldClient } from '../../../src/main/models/kobold/kobold-client.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { ModelUsage } from '../../../src/shared/domain/model/model-status.ts'
import { AgentTalk, activeModel, callSchema, declarations } from '../../fakes/agent/agent-talk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { templatePack } from '../../fakes/rigs/fake-draft.ts'
import { startEngineHere } from '../../fakes/rigs/models/engine-here.ts'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const contextTokens = 8_192

function needed(usage: ModelUsage | null): ModelUsage {
  if (usage === null) throw new Error('nothing was counted')
  return usage
}

async function twoTurns(talk: AgentTalk): Promise<ModelUsage> {
  talk.say('Tell me about the cat.')
  await talk.reply()
  talk.say('And the dog?')
  return needed((await talk.reply()).usage)
}

/** Answers a suggested message in a fork within `limit` tokens; adds nothing of it to the talk. */
async function answerSpeculation(talk: AgentTalk, limit = 4000) {
  const ends: string[] = []
  const fork = talk.model.fork('one', {
    toolbox: { declarations, callSchema: async () => callSchema, filesInUse: () => [] },
    readLines: async () => null,
    requests: { begin: () => limit, over: ({ end }) => void ends.push(end) },
  })
  const turn = talk.turn + 1
  const message = { turn, role: 'user', kind: 'message', text: 'run the tests' } as const
  const context = { ...talk.context, turn, log: [...talk.log, message] }
  const { usage } = await fork.reply(context, { kind: 'plain', about: '' }, unheard, talk.signal.signal)
  return { usage: needed(usage), ends, fork }
}

it('the embedded engine reads of a speculation its own words alone, and nothing twice after it is dropped', async () => {
  const file = join(tempFolder(), 'tiny.gguf')
  writeTinyGguf(file, { says: '猫が眠った。', contextTokens })
  const engine = new EngineProcess(
    { spawnWorker: startEngineHere, clock: systemClock, log: silentLog },
    { file, contextTokens },
  )
  onTestFinished(() => engine.dispose())
  const options = { template: templatePack('chatml'), contextTokens }
  const client = createEmbeddedClient({ clock: systemClock, engine }, options)
  const chat = client.chat.bind(client)
  // Some never end by themselves.
  client.chat = (request, signal) => chat({ ...request, maxTokens: Math.min(request.maxTokens, 32) }, signal)
  const talk = new AgentTalk(activeModel(client))
  const main = await twoTurns(talk)
  const conversation = main.promptTokens + main.completionTokens
  const speculations = await answerSpeculation(talk)
  expect((speculations.usage.reusedTokens ?? 0) / conversation).toBeGreaterThanOrEqual(0.99)
  expect(speculations.ends).toEqual(['whole'])

  talk.say('How big is it?')
  const next = needed((await talk.reply()).usage)
  expect((next.reusedTokens ?? 0) / conversation).toBeGreaterThanOrEqual(0.99)

  // What comes to the end of its tokens ends there, and says so.
  expect((await answerSpeculation(talk, 2)).ends).toEqual(['limit'])
})

it('KoboldCpp shares the conversation with a speculation, and with what follows it', async () => {
  const kobold = await startFakeKobold({ contextTokens, answer: '猫が眠った。' })
  onTestFinished(() => kobold.close())
  const client = createKoboldClient(
    { clock: systemClock, random: systemRandom, queue: new RequestQueue() },
    {
      address: kobold.address,
      timeouts: { connectMs: 10_000, firstTokenMs: 60_000, idleMs: 60_000 },
      template: templatePack('chatml'),
      contextTokens,
      key: async () => undefined,
      controls: controlStringsOf([]),
    },
  )
  onTestFinished(() => client.dispose())
  const talk = new AgentTalk(activeModel(client, 'koboldcpp'))
  await twoTurns(talk)
  await answerSpeculation(talk)
  talk.say('How big is it?')
  await talk.reply()
  const [main, speculations, next] = kobold.requests.flatMap(({ generation }) => generation ?? []).slice(-3)
  if (main === undefined || speculations === undefined || next === undefined)
    throw new Error('three requests')
  expect(speculations.sharedTokens / main.promptTokens).toBeGreaterThanOrEqual(0.99)
  expect(next.sharedTokens / main.promptTokens).toBeGreaterThanOrEqual(0.99)
})

/** The cost of suggestions for the prompt cache, by the engines' counts: the real one, and KoboldCpp as recorded. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EngineProcess } from '../../../src/main/engine/engine-process.ts'
import { controlStringsOf } from '../../../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../../../src/main/models/completion/request-queue.ts'
import { createEmbeddedClient } from '../../../src/main/models/embedded/embedded-client.ts'
import { createKoboldClient } from '../../../src/main/models/kobold/kobold-client.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { dataFolderPath } from '../../../src/main/platform/files/data-folder.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { prefetchContext } from '../../../src/main/sessions/runner/session-runner.ts'
import type { ModelUsage } from '../../../src/shared/domain/model/model-status.ts'
import { AgentTalk, activeModel } from '../../fakes/agent/agent-talk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { templatePack } from '../../fakes/rigs/fake-draft.ts'
import { startEngineHere } from '../../fakes/rigs/models/engine-here.ts'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const { platform, env } = process
const models = env.TSUGI_TEST_MODELS ?? join(dataFolderPath({ platform, env, home: homedir() }), 'models')
const smol = join(models, 'SmolLM2-135M-Instruct.Q4_1.gguf')
const forked = { role: 'main', strategy: 'forked', isShort: false, isThinkingOff: true } as const
const contextTokens = 8_192

function embedded(file: string): AgentTalk {
  const engine = new EngineProcess(
    {
      spawnWorker: startEngineHere,
      clock: systemClock,
      log: silentLog,
    },
    { file, contextTokens },
  )
  onTestFinished(() => engine.dispose())
  const client = createEmbeddedClient(
    { clock: systemClock, engine },
    { template: templatePack('chatml'), contextTokens },
  )
  const chat = client.chat.bind(client)
  // Some never end by themselves.
  client.chat = (request, signal) => {
    const maxTokens = request.constraint === undefined ? Math.min(request.maxTokens, 32) : request.maxTokens
    return chat({ ...request, maxTokens }, signal)
  }
  return new AgentTalk(activeModel(client))
}

function tiny(): string {
  const file = join(tempFolder(), 'tiny.gguf')
  writeTinyGguf(file, { says: '猫が眠った。', contextTokens })
  return file
}

/** Two answers of the model. */
async function twoTurns(talk: AgentTalk): Promise<ModelUsage> {
  talk.say('Tell me about the cat.')
  await talk.reply()
  talk.say('And the dog?')
  const { usage } = await talk.reply()
  if (usage === null) throw new Error('nothing was counted')
  return usage
}

async function suggest(talk: AgentTalk): Promise<ModelUsage> {
  const answer = await talk.model.suggest(talk.context, forked, talk.signal.signal)
  if (answer.kind === 'lack' || answer.usage === null) throw new Error('nothing was asked')
  return answer.usage
}

function reused({ reusedTokens, isReuseEstimated }: ModelUsage): number {
  expect(isReuseEstimated).toBe(false)
  return reusedTokens ?? 0
}

const engines: [name: string, file: () => string, isThere: boolean][] = [
  ['the embedded engine', tiny, true],
  ['SmolLM2 (skipped where its file is not in TSUGI_TEST_MODELS)', () => smol, existsSync(smol)],
]

describe.each(engines)('%s', (_name, file, isThere) => {
  it.skipIf(!isThere)('reads of a suggestion its own message alone, and nothing twice after it', async () => {
    const talk = embedded(file())
    const main = await twoTurns(talk)
    const conversation = main.promptTokens + main.completionTokens
    const suggestion = await suggest(talk)
    expect(reused(suggestion) / conversation).toBeGreaterThanOrEqual(0.99)

    // Not taken: the next request drops the suggestion and keeps the rest.
    talk.say('How big is it?')
    const next = await talk.reply()
    if (next.usage === null) throw new Error('nothing was counted')
    expect(reused(next.usage) / conversation).toBeGreaterThanOrEqual(0.99)
    const newTokens = next.usage.promptTokens - conversation
    expect(next.usage.promptTokens - reused(next.usage)).toBeLessThanOrEqual(newTokens + conversation * 0.01)
  })

  it.skipIf(!isThere)(
    'has read the message that was suggested when it is sent: all but its last token',
    async () => {
      const talk = embedded(file())
      const main = await twoTurns(talk)
      const conversation = main.promptTokens + main.completionTokens
      await suggest(talk)
      const text = 'run the tests'
      const prefetch = prefetchContext(talk.context, [], text)
      if (prefetch === null) throw new Error('nothing would be asked')
      const read = await talk.model.preRead(prefetch, talk.signal.signal)
      if (read === null || read.usage === null) throw new Error('nothing was read')
      expect(reused(read.usage) / conversation).toBeGreaterThanOrEqual(0.99)

      talk.say(text)
      talk.state = prefetch.state
      const decision = await talk.decide()
      expect(decision.usage?.promptTokens).toBe(read.usage.promptTokens)
      expect(decision.usage && reused(decision.usage)).toBe(read.usage.promptTokens - 1)
    },
  )

  it.skipIf(!isThere)(
    'loses nothing of the conversation by another message than was read in advance',
    async () => {
      const talk = embedded(file())
      const main = await twoTurns(talk)
      const conversation = main.promptTokens + main.completionTokens
      const prefetch = prefetchContext(talk.context, [], 'run the tests')
      if (prefetch === null) throw new Error('nothing would be asked')
      await talk.model.preRead(prefetch, talk.signal.signal)
      talk.say('How big is it?')
      const { usage } = await talk.reply()
      expect(usage && reused(usage) / conversation).toBeGreaterThanOrEqual(0.99)
      // What was read in advance is no longer behind this log.
      expect(await talk.model.preRead({ ...prefetch, log: [] }, talk.signal.signal)).toBeNull()
    },
  )
})

it('KoboldCpp shares the conversation with a suggestion, and the suggestion with nothing after it', async () => {
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
  await talk.model.suggest(talk.context, forked, talk.signal.signal)
  talk.say('How big is it?')
  await talk.reply()
  const [main, suggestion, next] = kobold.requests.flatMap(({ generation }) => generation ?? []).slice(-3)
  if (main === undefined || suggestion === undefined || next === undefined) throw new Error('three requests')
  // What it wrote is part of its cache as well: the whole last prompt is the least.
  expect(suggestion.sharedTokens / main.promptTokens).toBeGreaterThanOrEqual(0.99)
  expect(next.sharedTokens / main.promptTokens).toBeGreaterThanOrEqual(0.99)
  expect(next.sharedTokens).toBeLessThan(suggestion.promptTokens)

  // Its own count of what it reads again does not come with its answers: nothing is read in advance there.
  const prefetch = prefetchContext(talk.context, [], 'run the tests')
  expect(prefetch && (await talk.model.preRead(prefetch, talk.signal.signal))).toBeNull()
})

import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../tests/fakes/eventually.ts'
import { type ManualClock, manualClock } from '../../../tests/fakes/manual-clock.ts'
import { defaultTimeouts, type ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { ModelStatus } from '../../shared/domain/model/model-status.ts'
import { TemplatePack } from '../../shared/domain/model/template-pack.ts'
import { AppError } from '../../shared/errors.ts'
import type { ModelClient } from './client/model-client.ts'
import { createModelService, type ModelService, type ModelServiceDeps } from './model-service.ts'

const address = 'http://127.0.0.1:5001'
const common = { templateId: 'mistral', samplerPresetId: 'novel', timeouts: defaultTimeouts }
const server: ModelProfile = { ...common, id: 's', name: 'S', backend: 'koboldcpp', address, hasKey: false }
const file: ModelProfile = { ...common, id: 'f', name: 'F', backend: 'embedded', file: '/m.gguf' }
const preset = {
  id: 'novel',
  isBuiltIn: true,
  sampler: { temperature: 1, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 },
}
const never = new AbortController().signal
const unreachable = { code: 'model/unreachable', address } as const
const crashed = { code: 'model/engine-crashed', modelFile: '/m.gguf' } as const

/** A model whose answer the test sets. */
type FakeModel = {
  client: ModelClient
  questions: number
  problem: AppError | null
  tellHealth(problem: AppError | null): void
}

function fakeModel(): FakeModel {
  const listeners: ((problem: AppError | null) => void)[] = []
  const answer: ModelClient['complete'] = async function* () {
    yield { type: 'done', stopReason: 'stop' }
  }
  const fake: FakeModel = {
    questions: 0,
    problem: null,
    tellHealth: (problem) => {
      for (const listener of listeners) listener(problem)
    },
    client: {
      capabilities: { hasCounter: false, constraints: [], hasReuseCount: false, hasTools: false },
      async describe() {
        fake.questions += 1
        if (fake.problem !== null) throw fake.problem
        return { modelName: 'm', version: '1', context: { tokens: 4096, source: 'server' }, needsKey: false }
      },
      contextWindow: async () => null,
      countTokens: null,
      countChat: null,
      watchHealth: (listener) => void listeners.push(listener),
      complete: answer,
      async *chat() {
        yield { type: 'done', stopReason: 'stop' }
      },
      dispose: async () => undefined,
    },
  }
  return fake
}

type Rig = {
  models: ModelService
  clock: ManualClock
  fake: FakeModel
  /** Follows the status as a window does. */
  watch(): { states: ModelStatus['state'][]; leave(): void }
}

async function open(profile: ModelProfile, changes: Partial<ModelServiceDeps> = {}): Promise<Rig> {
  const clock = manualClock()
  const fake = fakeModel()
  const models = createModelService({
    clock,
    random: { next: () => 0, id: () => 'id' },
    log: { write: () => undefined, bug: () => 'x' },
    secrets: {
      isEncrypted: async () => false,
      get: async () => undefined,
      set: async () => undefined,
      remove: async () => undefined,
    },
    profiles: {
      list: () => [profile],
      get: (id) => (id === profile.id ? profile : undefined),
      save: () => undefined,
      remove: () => undefined,
    },
    selected: { get: () => profile.id, set: () => undefined },
    presets: {
      list: () => [preset],
      save: () => undefined,
      remove: () => undefined,
    },
    templates: new Map([
      [
        'mistral',
        TemplatePack.parse({ id: 'mistral', name: 'M', wrapper: '{{inner}}{{suffix}}', stops: [] }),
      ],
    ]),
    createClient: () => fake.client,
    discover: async () => [],
    probe: async () => {
      throw new Error('not asked here')
    },
    identify: async () => {
      throw new Error('not asked here')
    },
    templateOf: async () => null,
    readModelFile: async () => ({ name: 'F', templateId: 'mistral', languages: [] }),
    languagesOf: async () => [],
    ...changes,
  })
  onTestFinished(() => models.dispose())
  await models.refresh()
  const watch = () => {
    const states: ModelStatus['state'][] = []
    const end = new AbortController()
    const reading = (async () => {
      for await (const { state } of models.watch(end.signal)) states.push(state)
    })()
    onTestFinished(async () => {
      end.abort()
      await reading
    })
    return { states, leave: () => end.abort() }
  }
  return { models, clock, fake, watch }
}

describe('a server that a run found gone', () => {
  it('is unreachable at once and asked again, as long as somebody watches, until it answers', async () => {
    const { models, clock, fake, watch } = await open(server)
    const { states, leave } = watch()
    await setImmediate()
    fake.problem = new AppError(unreachable)
    models.noteEnd(unreachable)
    expect(models.status()).toMatchObject({ state: 'unreachable', error: unreachable })
    await setImmediate()
    expect(fake.questions).toBe(2)
    for (const questions of [3, 4]) {
      await clock.advance(10_000)
      await setImmediate()
      expect(fake.questions).toBe(questions)
    }
    fake.problem = null
    await clock.advance(10_000)
    await setImmediate()
    expect(states).toEqual(['ready', 'unreachable', 'ready'])
    await clock.advance(60_000)
    expect([fake.questions, clock.pending]).toEqual([5, 0])

    models.noteEnd(unreachable)
    leave()
    await setImmediate()
    expect(clock.pending).toBe(0)
  })

  it('is asked by the next window, the next search and the next run, not by time alone', async () => {
    const { models, clock, fake, watch } = await open(server)
    fake.problem = new AppError(unreachable)
    models.noteEnd(unreachable)
    await setImmediate()
    expect([fake.questions, clock.pending]).toEqual([2, 0])
    await models.discover(new AbortController().signal)
    await setImmediate()
    models.noteEnd(null)
    await setImmediate()
    expect(fake.questions).toBe(4)
    fake.problem = null
    const { states } = watch()
    await setImmediate()
    expect(states).toEqual(['unreachable', 'ready'])
    models.noteEnd(null)
    await setImmediate()
    expect(fake.questions).toBe(5)
  })

  it('is believed where a failure may have other reasons, and other models’ failures are not its own', async () => {
    const { models, fake } = await open(server)
    models.noteEnd({ code: 'model/unreachable', address: 'http://127.0.0.1:9' })
    models.noteEnd({ code: 'file/disk-full', path: '/x' })
    expect(models.status().state).toBe('ready')
    await setImmediate()
    fake.problem = new AppError(unreachable)
    models.noteEnd({ code: 'model/cut', address })
    expect(models.status().state).toBe('ready')
    await setImmediate()
    expect(models.status()).toMatchObject({ state: 'unreachable', error: unreachable })
  })
})

describe('an engine that crashed', () => {
  it('is shown at once, is not started for a look, and is ready when it is', async () => {
    const { clock, fake, models, watch } = await open(file)
    const { states } = watch()
    await setImmediate()
    fake.tellHealth(new AppError(crashed))
    expect(models.status()).toMatchObject({ state: 'crashed', error: crashed })
    models.noteEnd(crashed)
    await clock.advance(60_000)
    await setImmediate()
    expect(fake.questions).toBe(1)
    fake.tellHealth(null)
    await setImmediate()
    expect(states).toEqual(['ready', 'crashed', 'ready'])
  })

  it('is started again for the user alone: not for a preview, a suggestion or a look', async () => {
    let revivals = 0
    const { client } = fakeModel()
    const revive = () => void revivals++
    const { models, watch } = await open(file, { createClient: () => ({ ...client, revive }) })
    expect(revivals).toBe(1)
    await models.active(never, 'main', 'background')
    models.noteEnd(crashed)
    watch()
    await models.discover(never)
    await setImmediate()
    expect(revivals).toBe(1)
    await models.active(never)
    await models.refresh()
    expect(revivals).toBe(3)
  })

  it('that dies while it starts has not failed before its own answer', async () => {
    const { fake, models, watch } = await open(file)
    const { states } = watch()
    await setImmediate()
    const asked = models.refresh()
    fake.tellHealth(new AppError(crashed))
    await asked
    await setImmediate()
    expect(states).toEqual(['ready', 'starting', 'ready'])
  })
})

describe('a file that two roles beside the main model have', () => {
  it('is loaded once', async () => {
    const kept: ModelProfile[] = [server, file, { ...file, id: 'g', name: 'G' }]
    const chosen = { main: 's', fast: 'f', speculation: 'g' }
    const opened: string[] = []
    const { models } = await open(server, {
      profiles: {
        list: () => kept,
        get: (id) => kept.find((one) => one.id === id),
        save: () => undefined,
        remove: () => undefined,
      },
      selected: { get: (role) => chosen[role], set: () => undefined },
      createClient: ({ id }) => {
        opened.push(id)
        return fakeModel().client
      },
    })
    const ownModel = await models.active(never, 'speculation')
    expect((await models.active(never, 'fast')).client).toBe(ownModel.client)
    expect(opened).toEqual(['s', 'f'])
  })
})

describe('a choice', () => {
  it('makes one profile, also where it is made again before the first has ended', async () => {
    const kept: ModelProfile[] = []
    const template = Promise.withResolvers<null>()
    let lastId = 0
    const { models } = await open(server, {
      random: { next: () => 0, id: () => `p${++lastId}` },
      profiles: {
        list: () => kept,
        get: (id) => kept.find((one) => one.id === id),
        save: (profile) => void kept.push(profile),
        remove: () => undefined,
      },
      templateOf: () => template.promise,
    })
    const choice = { backend: 'koboldcpp', address } as const
    const both = [models.use(choice), models.use(choice)]
    template.resolve(null)
    const [first, second] = await Promise.all(both)
    expect(second?.id).toBe(first?.id)
    expect(kept).toHaveLength(1)
  })
})

describe('a template that was guessed', () => {
  async function guessedOf(profile: ModelProfile, templateId: string | null) {
    let kept = profile
    const { models } = await open(profile, {
      profiles: {
        list: () => [kept],
        get: () => kept,
        save: (saved) => {
          kept = saved
        },
        remove: () => undefined,
      },
      templateOf: async () => templateId,
    })
    return { models, kept: () => kept }
  }

  it.each<[string, { templateGuessedFor?: string }]>([
    ['for another model than the server has now', { templateGuessedFor: 'yesterday' }],
    ['without evidence', {}],
  ])('%s is guessed again once the server tells its model', async (_, guess) => {
    const profile = { ...server, isTemplateGuessed: true, ...guess }
    const { kept } = await guessedOf(profile, 'gemma')
    await eventually(() => {
      expect(kept()).toMatchObject({ templateId: 'gemma', isTemplateGuessed: true, templateGuessedFor: 'm' })
    })
  })

  it.each<[string, { isTemplateGuessed: boolean; templateGuessedFor?: string }, string | null]>([
    ['the user has confirmed', { isTemplateGuessed: false }, 'gemma'],
    ['was guessed for this model', { isTemplateGuessed: true, templateGuessedFor: 'm' }, 'gemma'],
    ['has no evidence now, either,', { isTemplateGuessed: true }, null],
  ])('that %s stays', async (_, guess, templateId) => {
    const profile = { ...server, ...guess }
    const { models, kept } = await guessedOf(profile, templateId)
    await models.refresh()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(kept()).toEqual(profile)
  })
})

it('a server that has another model by now is asked what it is before the next page, and shown by its name', async () => {
  const { models, fake } = await open(server)
  await eventually(() => expect(models.status().state).toBe('ready'))
  const signal = new AbortController().signal
  const asked = fake.questions
  await models.active(signal)
  expect(fake.questions).toBe(asked)
  // As a count of the context's tokens learns it.
  const description = { version: '1', context: { tokens: 4096, source: 'server' }, needsKey: false } as const
  Object.assign(fake.client, {
    servedName: 'gemma',
    describe: async () => ({ ...description, modelName: 'gemma' }),
  })
  await models.active(signal, 'main', 'background')
  expect(models.status().modelName).toBe('m')
  expect((await models.active(signal)).modelName).toBe('gemma')
  expect(models.status().modelName).toBe('gemma')
})

describe('a profile in use that is changed', () => {
  it('keeps its model where only the name or the sampler is another one, and gets a new one elsewhere', async () => {
    const fake = fakeModel()
    const { sampler } = preset
    let disposals = 0
    let kept: ModelProfile = server
    const { models } = await open(server, {
      createClient: () => ({
        ...fake.client,
        dispose: async () => {
          disposals += 1
        },
      }),
      presets: {
        list: () => [preset, { id: 'calm', isBuiltIn: false, sampler: { ...sampler, temperature: 0.2 } }],
        save: () => undefined,
        remove: () => undefined,
      },
      profiles: {
        list: () => [kept],
        get: () => kept,
        save: (profile) => {
          kept = profile
        },
        remove: () => undefined,
      },
    })
    const { client } = await models.active(never)
    await models.saveProfile({ ...server, name: 'T', samplerPresetId: 'calm' }, undefined)
    expect(await models.active(never)).toMatchObject({ client, sampler: { temperature: 0.2 } })
    expect(models.status()).toMatchObject({ state: 'ready', profileName: 'T' })
    expect(disposals).toBe(0)
    await models.saveProfile({ ...kept, contextTokens: 2048 }, undefined)
    expect(disposals).toBe(1)
    await models.saveProfile(kept, 'himitsu')
    expect(disposals).toBe(2)
  })
})

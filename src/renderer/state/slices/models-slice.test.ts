import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { readyModel } from '../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'
import { defaultTimeouts } from '../../../shared/domain/model/model-profile.ts'
import { noWorkSettings } from '../../../shared/domain/work/work-settings.ts'

it('looks for models again where the connection was lost before the answer', async () => {
  const { host, store, connection } = await openWindow()
  const models = () => store.getState().models
  host.found.push({
    backend: 'embedded',
    file: '/home/author/neko.gguf',
    modelName: 'neko',
    contextTokens: 2_048,
    sizeBytes: 1,
    languages: [],
  })
  const looked = models().discover()
  connection.drop()
  await looked
  expect(models().found).toEqual([])
  await until(() => models().found?.length === 1)
  expect(models().error).toBeNull()
})

/** A window whose open work and whose model have these presets. */
async function withPresets(ofWork: string | null, ofModel: string) {
  const host = new FakeHost()
  host.model = readyModel
  host.workSettings = { ...noWorkSettings, samplerPresetId: ofWork }
  host.profiles.push({
    id: 'profile-1',
    name: 'mine',
    backend: 'demo',
    language: 'ja',
    templateId: 'mistral',
    samplerPresetId: ofModel,
    timeouts: defaultTimeouts,
  })
  const sampler = { temperature: 1, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
  for (const id of ['novel', 'lively']) host.presets.push({ id, isBuiltIn: true, sampler })
  const { store, asked } = await openWindow({ host })
  const { models } = store.getState()
  await models.load()
  await until(() => store.getState().workSettings.value.samplerPresetId === ofWork)
  await until(() => store.getState().models.profiles.length === 1)
  await until(() => store.getState().models.status.profileId === 'profile-1')
  return {
    models,
    chosenForWork: () => asked('work.updateSettings'),
    chosenForModel: () =>
      asked('profile.save').map((input) => (input as SavedProfile).profile.samplerPresetId),
  }
}
type SavedProfile = { profile: { samplerPresetId: string } }

describe('a changed copy of a preset', () => {
  it('is chosen for the work that uses the preset, and the model keeps its own', async () => {
    const { models, chosenForWork, chosenForModel } = await withPresets('lively', 'novel')
    await models.chooseCopy('lively', 'own-1')
    expect(chosenForWork()).toEqual([{ workId: 'work-1', patch: { samplerPresetId: 'own-1' } }])
    expect(chosenForModel()).toEqual([])
  })

  it('is chosen for the model where the work has no preset, and for nothing where neither uses it', async () => {
    const { models, chosenForWork, chosenForModel } = await withPresets(null, 'novel')
    await models.chooseCopy('novel', 'own-1')
    expect(chosenForModel()).toEqual(['own-1'])
    await models.chooseCopy('lively', 'own-2')
    expect(chosenForModel()).toEqual(['own-1'])
    expect(chosenForWork()).toEqual([])
  })
})

describe('a removed preset', () => {
  it('of a work leaves the model its own', async () => {
    const { models, chosenForWork, chosenForModel } = await withPresets('own-1', 'lively')
    await models.removePreset('own-1')
    expect(chosenForWork()).toEqual([{ workId: 'work-1', patch: { samplerPresetId: null } }])
    expect(chosenForModel()).toEqual([])
  })

  it('of a model and of a work is replaced for both', async () => {
    const { models, chosenForWork, chosenForModel } = await withPresets('own-1', 'own-1')
    await models.removePreset('own-1')
    expect(chosenForWork()).toEqual([{ workId: 'work-1', patch: { samplerPresetId: null } }])
    expect(chosenForModel()).toEqual(['novel'])
  })
})

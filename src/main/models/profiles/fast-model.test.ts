import { expect, it } from 'vitest'
import { defaultTimeouts, type ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { ActiveModel } from './active-model.ts'
import { createFastModel } from './fast-model.ts'

const profile: ModelProfile = {
  id: 'f',
  name: 'F',
  backend: 'embedded',
  file: '/f.gguf',
  templateId: 'mistral',
  samplerPresetId: 'novel',
  timeouts: defaultTimeouts,
}

it('stays loaded where only its name or its sampler is another one', async () => {
  let chosen = profile
  const counts = { opened: 0, closed: 0 }
  const fast = createFastModel({
    chosen: () => chosen,
    main: () => undefined,
    async open(opened) {
      counts.opened += 1
      return { profile: opened, modelName: opened.name } as ActiveModel
    },
    async close() {
      counts.closed += 1
    },
  })
  await fast.active()
  chosen = { ...profile, name: 'G', samplerPresetId: 'calm' }
  await fast.settle()
  expect(await fast.active()).toEqual({ profile: chosen, modelName: 'G' })
  expect(counts).toEqual({ opened: 1, closed: 0 })
  chosen = { ...chosen, contextTokens: 2048 }
  await fast.active()
  expect(counts).toEqual({ opened: 2, closed: 1 })
})

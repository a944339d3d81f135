import { expect, it } from 'vitest'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { textOnlyReason } from './manuscript-notices.tsx'

const embedded = (file: string, templateId: string) =>
  ({ backend: 'embedded', file, templateId, name: 'A model' }) as ModelProfile

it.each([
  [embedded('/models/SmolLM2-135M-Instruct.Q4_1.gguf', 'chatml'), null, 'small'],
  [embedded('/models/gemma-3-270m-q4_k_m.gguf', 'plain'), null, 'base'],
  [embedded('/models/qwen-7b.gguf', 'chatml'), null, null],
  [embedded('/models/story.gguf', 'chatml'), 'Story 0.5B', 'small'],
  [embedded('/models/story.gguf', 'chatml'), null, null],
  [{ backend: 'demo', templateId: 'plain', name: 'Demo' } as ModelProfile, 'demo', null],
  [undefined, null, null],
] as const)('text alone is offered to a model that follows no instruction %#', (profile, name, wanted) => {
  expect(textOnlyReason(profile, name)).toBe(wanted)
})

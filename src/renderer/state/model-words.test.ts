import { expect, it } from 'vitest'
import type { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import { isTinyModel } from './model-words.ts'

const embedded = (file: string) => ({ backend: 'embedded', file, name: 'A model' }) as ModelProfile
const server = { backend: 'koboldcpp', name: 'A server' } as ModelProfile

it.each([
  [embedded('/models/SmolLM2-135M-Instruct.Q4_1.gguf'), null, true],
  [embedded('/models/story.gguf'), 'Gemma 3 270M', true],
  [server, 'koboldcpp/Qwen3-0.6B-Q4_K_M', true],
  [server, 'koboldcpp/gemma-3-1b-it', false],
  [server, 'koboldcpp/a-name-without-a-size', false],
  [undefined, null, false],
  [{ backend: 'demo', name: 'tiny-100M' } as ModelProfile, null, false],
] as const)('a model too small for instructions is known by its name %#', (profile, name, wanted) => {
  expect(isTinyModel(profile, name)).toBe(wanted)
})

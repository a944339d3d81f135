import { expect, it } from 'vitest'
import { shownModelName } from './model-name.ts'

it.each([
  ['/models/SmolLM2-135M-Instruct-Q8_0.gguf', 'SmolLM2-135M-Instruct-Q8_0'],
  ['C:\\models\\小説 Model.GGUF', '小説 Model'],
  ['models/a.b.gguf', 'a.b'],
  ['mistral.gguf', 'mistral'],
  ['org/model', 'org/model'],
  ['qwen2.5:7b', 'qwen2.5:7b'],
  ['.gguf', '.gguf'],
  ['', ''],
])('calls the model %s %s', (name, shown) => {
  expect(shownModelName(name)).toBe(shown)
})

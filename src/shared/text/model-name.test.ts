import { describe, expect, it } from 'vitest'
import { parametersInName, shownModelName } from './model-name.ts'

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

describe('the size in a name', () => {
  it.each([
    ['SmolLM2 135M Instruct', 0.135],
    ['gemma-3-270m-q4_k_m.gguf', 0.27],
    ['Qwen3-0.6B-Q8_0', 0.6],
    ['qwen3:8b', 8],
    ['Qwen3-Coder-30B-A3B', 30],
    ['Mixtral-8x7B-v0.1', 56],
    ['gemma-3n-E4B-it', 4],
    ['llama-3.1-8b-instruct', 8],
    ['gpt-4.1', null],
    ['mistral-nemo-128k', null],
    ['model-4bit', null],
    ['phi-4', null],
  ])('of %s', (name, billions) => {
    const found = parametersInName(name)
    if (billions === null) expect(found).toBeNull()
    else expect(found).toBeCloseTo(billions)
  })
})

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadKnownWindows } from './known-models.ts'

const file = join(import.meta.dirname, '../../../../resources/context-windows.json')

describe('the context windows of known models', () => {
  it.each([
    ['gpt-4', 8_192],
    ['gpt-4-0613', 8_192],
    ['gpt-4o-mini', 128_000],
    ['openai/gpt-4.1-mini', 1_047_576],
    ['o1', 200_000],
    ['o13b', null],
    ['meta-llama/Meta-Llama-3.1-8B-Instruct:free', 131_072],
    ['Llama-3-8B', 8_192],
    ['anthropic/claude-sonnet-4', 200_000],
    ['some-model', null],
    ['', null],
  ])('of %s are %s', async (name, tokens) => {
    const { windowOfName } = await loadKnownWindows(file)
    expect(windowOfName(name)).toBe(tokens)
  })
})

describe('the models that take images', () => {
  it.each([
    ['openai/gpt-4o-mini', true],
    ['anthropic/claude-sonnet-4', true],
    ['google/gemma-3-27b-it:free', true],
    ['gemma-3-270m', false],
    ['qwen2.5-vl-7b-instruct', true],
    ['qwen2.5-7b-instruct', false],
    ['some-model', false],
  ])('%s: %s', async (name, takesImages) => {
    const { namesImages } = await loadKnownWindows(file)
    expect(namesImages(name)).toBe(takesImages)
  })
})

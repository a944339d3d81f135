import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadTemplates } from '../profiles/template-pack.ts'
import { guessTemplate, loadTemplateNames } from './template-guess.ts'

const resource = (path: string) => fileURLToPath(new URL(`../../../../resources/${path}`, import.meta.url))
const chatml = "{% for m in messages %}{{'<|im_start|>' + m.role}}{% endfor %}"
const gemmaTokens = async (marker: string) => ['<start_of_turn>', '<end_of_turn>'].includes(marker)
const chatmlTokens = async (marker: string) => ['<|im_start|>', '<|im_end|>'].includes(marker)

async function guess(evidence: Partial<Parameters<typeof guessTemplate>[1]>) {
  const deps = {
    templates: await loadTemplates(resource('templates')),
    names: await loadTemplateNames(resource('template-names.json')),
  }
  return guessTemplate(deps, { chatTemplate: null, modelName: null, isToken: null, ...evidence })
}

describe('the template of a served model', () => {
  it('is the one that the server shows, where its markers are tokens of the model', async () => {
    expect(await guess({ chatTemplate: chatml, isToken: chatmlTokens, modelName: 'x' })).toBe('chatml')
  })

  it('is plain for a base model whose server shows a general one', async () => {
    const base = { chatTemplate: chatml, isToken: gemmaTokens, modelName: 'gemma-3-270m-Q4_K_M.gguf' }
    expect(await guess(base)).toBe('plain')
    expect(await guess({ ...base, modelName: 'unknown' })).toBe('plain')
  })

  it.each([
    ['Mistral-Nemo-Instruct-2407-Q4_K_M', 'mistral'],
    ['gemma-3-4b-it-Q4_K_M', 'gemma'],
    ['gemma-3-270m', 'plain'],
    ['Qwen3-8B', 'chatml'],
    ['Qwen3-8B-Base', 'plain'],
    ['SmolLM2-135M-Instruct', 'chatml'],
    ['Meta-Llama-3.1-8B-Instruct', 'llama3'],
    ['my-own-mix', null],
  ])('is guessed by the name %s: %s', async (modelName, wanted) => {
    expect(await guess({ modelName })).toBe(wanted)
  })

  it('is not guessed by a name that the tokens speak against', async () => {
    expect(await guess({ modelName: 'Qwen-lookalike', isToken: gemmaTokens })).toBe('plain')
  })
})

import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { patientTimeouts } from '../../../../tests/fakes/patient-timeouts.ts'
import { type FakeKoboldOptions, startFakeKobold } from '../../../../tests/fakes/servers/fake-kobold.ts'
import {
  createFakeLlamaServer,
  type LlamaOptions,
} from '../../../../tests/fakes/servers/fake-llama-server.ts'
import { createRouteServer, type Routes } from '../../../../tests/fakes/servers/route-server.ts'
import { usualServers } from '../../../../tests/fakes/servers/usual-servers.ts'
import type { ServedChoice } from '../../../shared/domain/model/model-profile.ts'
import { systemClock as clock } from '../../platform/clock.ts'
import { loadTemplates } from '../profiles/template-pack.ts'
import { templateEvidence } from './served-template.ts'
import { guessTemplate, loadTemplateNames } from './template-guess.ts'

const resource = (path: string) => fileURLToPath(new URL(`../../../../resources/${path}`, import.meta.url))

async function guessAt(choice: ServedChoice): Promise<string | null> {
  const server = { clock, address: choice.address, timeouts: patientTimeouts, key: async () => undefined }
  const deps = {
    templates: await loadTemplates(resource('templates')),
    names: await loadTemplateNames(resource('template-names.json')),
  }
  return guessTemplate(deps, await templateEvidence(server, choice))
}

async function llama(options: LlamaOptions = {}, model = 'my-own-mix.gguf') {
  const fake = await createFakeLlamaServer(options)
  onTestFinished(fake.close)
  const guessed = await guessAt({ backend: 'openai', flavour: 'llama.cpp', address: fake.address, model })
  return { guessed, asked: fake.requests.map(({ method, path }) => `${method} ${path}`), fake }
}

it('takes the template that a llama-server shows, where its markers are tokens of the model', async () => {
  const { guessed, asked, fake } = await llama()
  expect(guessed).toBe('chatml')
  expect(asked[0]).toBe('GET /props')
  expect(fake.requests.find(({ path }) => path === '/tokenize')?.body).toMatchObject({
    parse_special: true,
    add_special: false,
  })
})

it('does not take a template that a llama-server shows for a model that has none of its markers', async () => {
  const usualTokens = ['<bos>', '<start_of_turn>', '<end_of_turn>']
  expect((await llama({ usualTokens, template: 'none' })).guessed).toBe('plain')
  const named = await llama({ usualTokens, template: 'none' }, 'gemma-3-4b-it-Q4_K_M.gguf')
  expect(named.guessed).toBe('gemma')
})

it('fails, for its caller to go without, where a llama-server does not answer', async () => {
  await expect(llama({ fault: 'closed-before-headers' })).rejects.toThrow('model/')
})

it('goes by the name that KoboldCpp tells, where its tokens do not speak against it', async () => {
  const kobold = async (options: FakeKoboldOptions) => {
    const fake = await startFakeKobold(options)
    onTestFinished(fake.close)
    return guessAt({ backend: 'koboldcpp', address: fake.address })
  }
  expect(await kobold({ modelName: 'koboldcpp/Mistral-Nemo-Instruct-2407-Q4_K_M' })).toBe('mistral')
  expect(await kobold({ modelName: 'koboldcpp/my-own-mix' })).toBeNull()
})

async function named(flavour: 'vllm' | 'lm-studio', model: string, routes: Routes) {
  const server = await createRouteServer(routes)
  onTestFinished(server.close)
  const guessed = await guessAt({ backend: 'openai', flavour, address: `${server.address}/v1`, model })
  return { guessed, asked: server.requests }
}

it('goes by the name of a model of vLLM, where its markers are tokens of the model', async () => {
  const vllm = (...own: string[]): Routes => ({
    ...usualServers.vllm(),
    'POST /tokenize': ({ body }) => {
      const { prompt } = body as { prompt: string }
      const tokens = (own.includes(prompt) ? [prompt] : [...prompt]).map((_, id) => id)
      return { json: { count: tokens.length, tokens } }
    },
  })
  const { guessed, asked } = await named('vllm', 'Qwen/Qwen3-8B', vllm('<|im_start|>', '<|im_end|>'))
  expect(guessed).toBe('chatml')
  expect(asked.map(({ path }) => path)).toEqual(['/tokenize', '/tokenize'])
  expect(asked[0]?.body).toMatchObject({ model: 'Qwen/Qwen3-8B', add_special_tokens: false })
  expect((await named('vllm', 'my/qwen-like', vllm('<|im_end|>'))).guessed).toBe('plain')
})

it('goes by the name alone where a server has no tokenizer to ask', async () => {
  expect((await named('vllm', 'Qwen/Qwen3-8B', usualServers.vllm())).guessed).toBe('chatml')
  const { guessed, asked } = await named('lm-studio', 'qwen2.5-7b', usualServers.lmStudio())
  expect(guessed).toBe('chatml')
  expect(asked).toEqual([])
})

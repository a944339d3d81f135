import { describe, expect, it } from 'vitest'
import { readyModel } from '../../../../tests/fakes/window-host/fixtures.ts'
import type { CatalogueModel, CatalogueStatus } from '../../../shared/domain/model/model-catalogue.ts'
import type { FoundModel } from '../../../shared/domain/model/model-found.ts'
import { defaultTimeouts, type ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { capableModels, otherModels, sessionFit } from './session-fit.ts'

const common = { id: 'profile-1', name: 'mine', samplerPresetId: 'novel', timeouts: defaultTimeouts }
const file = (path: string, templateId = 'chatml'): ModelProfile => ({
  ...common,
  backend: 'embedded',
  templateId,
  file: path,
})
const server: ModelProfile = {
  ...common,
  backend: 'openai',
  templateId: 'plain',
  address: 'http://127.0.0.1:8080',
  model: 'served',
  hasKey: false,
}
const named = (modelName: string, canCallTools?: boolean) => ({
  isDemo: false,
  modelName,
  ...(canCallTools !== undefined && { canCallTools }),
})

describe('what a model can do in a session', () => {
  it.each([
    ['SmolLM2 135M Instruct', file('a.gguf'), 'tiny'],
    ['Qwen3-4B', file('a.gguf'), 'small'],
    ['Qwen3-Coder-30B-A3B', file('a.gguf'), 'able'],
    ['mixtral-8x7b', file('a.gguf', 'mistral'), 'able'],
    ['a name without a size', file('b/gemma-3-270m-it-q4_k_m.gguf'), 'tiny'],
    ['gemma-3-12b-pt', file('a.gguf', 'plain'), 'prose'],
    ['qwen3:8b', server, 'able'],
    ['gpt', server, 'unknown'],
  ] as const)('of %s', (name, profile, fit) => {
    expect(sessionFit(named(name), profile)).toBe(fit)
  })

  it('is told by a trial of its calls where its name tells no size', () => {
    expect(sessionFit(named('gpt', true), server)).toBe('able')
    expect(sessionFit(named('gpt', false), server)).toBe('unknown')
    expect(sessionFit(named('tiny-1b', true), server)).toBe('tiny')
  })

  it('is prepared text in the demo', () => {
    expect(sessionFit({ ...readyModel, isDemo: true }, undefined)).toBe('demo')
  })
})

describe('the ways to a more capable model', () => {
  const model = (modelId: string, parameters: number, uses: CatalogueModel['uses']): CatalogueModel => ({
    modelId,
    name: modelId,
    parameters,
    languages: ['en'],
    uses,
    licence: 'MIT',
    licenceUrl: 'https://example.com',
    termsId: null,
    hf: 'hf:a/b/c.gguf',
    sha256: null,
    sizeBytes: parameters * 1e9,
    memoryBytes: parameters * 1e9,
  })
  const status: CatalogueStatus = {
    models: [
      model('tiny', 1.7, ['tools']),
      model('middle', 4, ['tools']),
      model('writer', 12, ['prose']),
      model('large', 8, ['tools', 'code']),
      model('huge', 30, ['tools']),
    ],
    downloads: [],
    memoryBytes: 16e9,
    freeDiskBytes: null,
    hub: 'https://huggingface.co',
    ownListProblem: null,
  }

  it('are the catalogue\u2019s that call tools and fit, the most capable first', () => {
    expect(capableModels(status).map(({ modelId }) => modelId)).toEqual(['large', 'middle'])
    expect(capableModels({ ...status, freeDiskBytes: 5e9 }).map(({ modelId }) => modelId)).toEqual(['middle'])
    expect(capableModels(null)).toEqual([])
  })

  it('are servers and large files found here, without the model in use', () => {
    const kobold = {
      backend: 'koboldcpp',
      models: [],
      contextTokens: null,
      needsKey: false,
    } satisfies Partial<FoundModel>
    const gguf = {
      backend: 'embedded',
      contextTokens: null,
      sizeBytes: 1,
      languages: [] as string[],
    } as const
    const found: FoundModel[] = [
      { ...kobold, address: 'http://127.0.0.1:5001' },
      { ...kobold, address: 'http://127.0.0.1:8080' },
      { ...gguf, file: 'a-8b.gguf', modelName: 'a' },
      { ...gguf, file: 'a-1b.gguf', modelName: 'a' },
    ]
    expect(otherModels(found, server)).toEqual([found[0], found[2]])
    expect(otherModels(found, file('a-8b.gguf'))).toEqual([found[0], found[1]])
    expect(otherModels(null, undefined)).toEqual([])
  })
})

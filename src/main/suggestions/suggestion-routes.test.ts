import { describe, expect, it } from 'vitest'
import type { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { SuggestionLack } from '../../shared/domain/session/suggestion.ts'
import { isApart } from '../../shared/suggestion/single-slot.ts'
import { suggestionRoutes } from './suggestion-generator.ts'

const common = {
  name: 'n',
  templateId: 'chatml',
  samplerPresetId: 's',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1 },
}
const server = (
  id: string,
  address: string,
  model = 'm',
  flavour?: 'llama.cpp' | 'ollama',
): ModelProfile => ({
  ...common,
  id,
  backend: 'openai',
  address,
  model,
  hasKey: false,
  ...(flavour === undefined ? {} : { flavour }),
})
const file = (id: string, path: string): ModelProfile => ({ ...common, id, backend: 'embedded', file: path })
const kobold = (id: string, address: string): ModelProfile => ({
  ...common,
  id,
  backend: 'koboldcpp',
  address,
  hasKey: false,
})

const llama = server('llama', 'http://127.0.0.1:8080', 'big', 'llama.cpp')
const cloud = server('cloud', 'https://api.example.com/v1', 'big')
const smol = file('smol', '/models/smol.gguf')

describe('a second model', () => {
  it.each<[string, ModelProfile, ModelProfile, boolean]>([
    ['the same profile', llama, llama, false],
    ['another file in an engine of its own', file('big', '/models/big.gguf'), smol, true],
    ['the same file under another name', file('again', '/models/smol.gguf'), smol, false],
    ['an embedded one beside a server', llama, smol, true],
    ['another port of this machine', llama, server('x', 'http://127.0.0.1:8081', 'm', 'llama.cpp'), true],
    ['the same server by another name', llama, server('x', 'http://localhost:8080/v1', 'small'), false],
    [
      'another model of one Ollama',
      server('a', 'http://[::1]:11434', 'a', 'ollama'),
      server('b', 'http://127.0.0.1:11434', 'b', 'ollama'),
      false,
    ],
    [
      'the native and the OpenAI side of one KoboldCpp',
      kobold('k', 'http://10.0.0.5:5001'),
      server('o', 'http://10.0.0.5:5001/v1'),
      false,
    ],
    ['another machine', llama, kobold('k', 'http://10.0.0.5:5001'), true],
    ['another model of a service', cloud, server('mini', 'https://api.example.com/v1', 'mini'), true],
    [
      'the usual port, said or not',
      server('a', 'http://nas.local'),
      server('b', 'http://nas.local:80'),
      false,
    ],
  ])('%s', (_name, main, other, isWanted) => expect(isApart(main, other)).toBe(isWanted))
})

const unpaused = () => null
const short = ({ routes, lack }: ReturnType<typeof suggestionRoutes>) => [
  ...routes.map(({ role, strategy }) => `${role} ${strategy}`),
  ...(lack === null ? [] : [lack]),
]

describe('who is asked for a suggestion', () => {
  const beside = server('fast', 'http://127.0.0.1:8081', 'small', 'llama.cpp')
  const same = server('fast', 'http://127.0.0.1:8080', 'small', 'llama.cpp')

  it.each<[string, ModelProfile, ModelProfile | null, boolean, string[]]>([
    ['one slot', llama, null, true, ['main forked']],
    ['one slot, nothing shared', llama, null, false, ['cache_sharing_off']],
    ['an embedded engine', smol, null, true, ['main forked']],
    ['a service', cloud, null, true, ['main forked', 'main standalone']],
    ['a service, nothing shared', cloud, null, false, ['main standalone']],
    ['a fast model of its own', llama, beside, true, ['fast standalone', 'main forked']],
    [
      'a fast model of its own, nothing shared',
      llama,
      beside,
      false,
      ['fast standalone', 'cache_sharing_off'],
    ],
    ['a fast model in the main one’s place', llama, same, true, ['main forked']],
    ['a fast model in the main one’s place, nothing shared', llama, same, false, ['cache_sharing_off']],
    [
      'a fast file beside a service',
      cloud,
      smol,
      true,
      ['fast standalone', 'main forked', 'main standalone'],
    ],
  ])('%s', (_name, main, fast, sharesCache, wanted) => {
    expect(short(suggestionRoutes({ main, fast }, { sharesCache, pause: unpaused }))).toEqual(wanted)
  })

  it('leaves out who pauses', () => {
    const paused =
      (id: string) =>
      (profileId: string): SuggestionLack | null =>
        profileId === id ? 'paused_timeouts' : null
    const models = { main: llama, fast: beside }
    expect(short(suggestionRoutes(models, { sharesCache: true, pause: paused('fast') }))).toEqual([
      'main forked',
    ])
    expect(short(suggestionRoutes(models, { sharesCache: true, pause: paused('llama') }))).toEqual([
      'fast standalone',
      'paused_timeouts',
    ])
  })
})

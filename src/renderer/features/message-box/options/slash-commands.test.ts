import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import { defaultTimeouts } from '../../../../shared/domain/model/model-profile.ts'
import { findModel, readSlash, runSlash, type SlashModels, slashOptions } from './slash-commands.ts'

const command = (value: object) => ({ kind: 'command', command: value })
const main = (model: string) => command({ name: 'model', model, isFast: false })
const fast = (model: string | null) => command({ name: 'model', model, isFast: true })

describe('slash commands', () => {
  it.each([
    ['/stats', command({ name: 'stats' })],
    ['  /Help  ', command({ name: 'help' })],
    ['/model Qwen3 4B', main('Qwen3 4B')],
    ['/model　Qwen3', main('Qwen3')],
    ['/model --fastest', main('--fastest')],
    ['/model --fast SmolLM2', fast('SmolLM2')],
    ['/model --fast　Qwen3 4B', fast('Qwen3 4B')],
    ['/model --fast none', fast('none')],
    ['/model --fast', fast(null)],
    ['/model --fast ', fast(null)],
    ['/add-dir', command({ name: 'add-dir', path: null })],
    ['/add-dir ~/my work/lib ', command({ name: 'add-dir', path: '~/my work/lib' })],
    ['/add-di', { kind: 'unknown', name: 'add-di' }],
    ['/model', { kind: 'incomplete', name: 'model' }],
    ['/mode plan', command({ name: 'mode', mode: 'plan' })],
    ['/mode planned', { kind: 'incomplete', name: 'mode' }],
    ['/stat', { kind: 'unknown', name: 'stat' }],
    ['/etc/hosts を見て', null],
    ['/stats\nと聞かれた', null],
    ['1/2 にして', null],
    ['/', null],
    ['', null],
  ])('%j', (text, wanted) => expect(readSlash(text)).toEqual(wanted))

  it('finds a model by its name or the one beginning', () => {
    const models = [{ name: 'Qwen3 4B' }, { name: 'Qwen3 8B' }, { name: 'SmolLM2' }]
    expect(findModel(models, 'qwen3 8b')).toBe(models[1])
    expect(findModel(models, 'smol')).toBe(models[2])
    expect(findModel(models, 'qwen3')).toBeNull()
  })
})

describe('what can follow', () => {
  const models: SlashModels = { names: ['Qwen3 4B', 'SmolLM2'], main: 'Qwen3 4B', fast: null }
  const inserts = (text: string, given = models) => slashOptions(text, given).map(({ insert }) => insert)

  it.each([
    ['/c', ['/compact', '/clear']],
    ['/mo', ['/model ', '/mode ']],
    ['/mode', ['/mode ', '/model ']],
    ['/mode a', ['/mode ask', '/mode auto-edit']],
    ['/add-d', ['/add-dir ']],
    ['/model ', ['/model Qwen3 4B', '/model SmolLM2', '/model --fast ']],
    ['/model --f', ['/model --fast ']],
    ['/model q', ['/model Qwen3 4B']],
    ['/model --fast ', ['/model --fast Qwen3 4B', '/model --fast SmolLM2']],
    ['/model --fast smol', ['/model --fast SmolLM2']],
    ['/etc/', []],
    ['a /c', []],
  ])('%j', (text, wanted) => expect(inserts(text)).toEqual(wanted))

  it('is each command, with what it does', () => {
    expect(slashOptions('/', models)).toHaveLength(9)
    expect(slashOptions('/st', models)).toEqual([
      { id: 'stats', insert: '/stats', label: '/stats', hint: 'slash.stats' },
    ])
  })

  it('is nothing behind the whole flag: Enter is to ask which model it is', () => {
    expect(inserts('/model --fast')).toEqual([])
  })

  it('says which model has the role, and lets it go where one has', () => {
    const chosen = { ...models, fast: 'SmolLM2' }
    const inUse = (text: string) =>
      slashOptions(text, chosen)
        .filter(({ hint }) => hint === 'slash.inUse')
        .map(({ label }) => label)
    expect(inUse('/model ')).toEqual(['Qwen3 4B'])
    expect(inUse('/model --fast ')).toEqual(['SmolLM2'])
    expect(inserts('/model --fast ', chosen).at(-1)).toBe('/model --fast none')
    expect(inserts('/model --fast no', chosen)).toEqual(['/model --fast none'])
  })
})

/** A window that knows these models, and what it was told last. */
async function opened(...names: string[]) {
  const host = new FakeHost()
  for (const name of names)
    host.profiles.push({
      id: name.toLowerCase(),
      name,
      backend: 'embedded',
      file: `/models/${name}.gguf`,
      templateId: 'chatml',
      samplerPresetId: 'novel',
      timeouts: defaultTimeouts,
    })
  const { store } = await openWindow({ host, isNamed: false })
  await expect.poll(() => store.getState().models.profiles.length, { interval: 2 }).toBe(names.length)
  const said = () => store.getState().ui.toasts.at(-1)?.message
  const fast = (model: string | null) => runSlash(store, { name: 'model', isFast: true, model })
  const chosen = () => store.getState().settings.value.fastProfileId
  return { host, said, fast, chosen }
}

describe('/model --fast', () => {
  it('chooses the fast model, says which it is, and lets it go', async () => {
    const { said, fast, chosen } = await opened('Qwen3', 'SmolLM2')
    expect(await fast(null)).toBe(true)
    expect(said()).toEqual({ key: 'slash.fastIsNone' })
    expect(await fast('smol')).toBe(true)
    expect(said()).toEqual({ key: 'slash.fastChosen', values: { name: 'SmolLM2' } })
    await expect.poll(chosen).toBe('smollm2')
    await fast(null)
    expect(said()).toEqual({ key: 'slash.fastIs', values: { name: 'SmolLM2' } })
    expect(await fast('none')).toBe(true)
    expect(said()).toEqual({ key: 'slash.fastCleared' })
    await expect.poll(chosen).toBeNull()
  })

  it('leaves all as it is for a name that nobody has', async () => {
    const { host, said, fast } = await opened('Qwen3', 'SmolLM2')
    expect(await fast('gpt')).toBe(false)
    expect(said()).toEqual({ key: 'slash.noModel', values: { name: 'gpt' } })
    expect(host.calls.some(({ method }) => method === 'profile.select')).toBe(false)
  })

  it('means a model that is called so, where there is one', async () => {
    const { fast, chosen } = await opened('None', 'Nonesuch')
    expect(await fast('none')).toBe(true)
    await expect.poll(chosen).toBe('none')
  })
})

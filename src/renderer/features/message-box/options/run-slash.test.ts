import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import { defaultTimeouts } from '../../../../shared/domain/model/model-profile.ts'
import { runSlash } from './run-slash.ts'

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

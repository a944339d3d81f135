import { afterEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../tests/fakes/eventually.ts'
import { FakeHost } from '../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../tests/fakes/window-host/open-window.ts'
import { languageOf } from './store-context.tsx'

afterEach(() => void vi.unstubAllGlobals())

/** The state of a window whose browser, host and settings speak these. */
async function stateOf(
  browser: string,
  host: Partial<Pick<FakeHost, 'locale' | 'isLocaleChosen' | 'kind'>>,
  choice?: 'ja' | 'en',
) {
  vi.stubGlobal('navigator', { language: browser })
  const fake = new FakeHost()
  Object.assign(fake, host)
  if (choice) fake.settings = { ...fake.settings, language: choice }
  const { store } = await openWindow({ host: fake })
  await eventually(() => expect(store.getState().settings.value.language).toBe(choice ?? 'system'))
  return store.getState()
}

describe('the language of the window', () => {
  it('is the browser’s on a web host of another locale', async () => {
    expect(languageOf(await stateOf('ja-JP', { locale: 'en-US', isLocaleChosen: false }))).toBe('ja')
    expect(languageOf(await stateOf('en-GB', { locale: 'ja-JP', isLocaleChosen: false }))).toBe('en')
  })

  it('is what the command line named, before the browser’s', async () => {
    expect(languageOf(await stateOf('en-GB', { locale: 'ja', isLocaleChosen: true }))).toBe('ja')
  })

  it('is the system’s in the desktop app', async () => {
    const desktop = { locale: 'ja-JP', isLocaleChosen: false, kind: 'electron' as const }
    expect(languageOf(await stateOf('en-US', desktop))).toBe('ja')
  })

  it('is the user’s choice before all', async () => {
    expect(languageOf(await stateOf('ja-JP', { locale: 'ja', isLocaleChosen: true }, 'en'))).toBe('en')
  })
})

import { describe, expect, it } from 'vitest'
import { AppSettings } from '../../shared/domain/app/app-settings.ts'
import type { Log } from '../deps.ts'
import { createSettingsService, createWindowLanguage } from './settings-service.ts'

const quiet: Log = { write: () => undefined, bug: () => 'id' }

function storeWith(value: unknown) {
  const store = {
    value,
    get: () => store.value,
    set: (next: AppSettings) => {
      store.value = next
    },
  }
  return store
}

describe('settings', () => {
  it('start with defaults and keep what a patch does not name', () => {
    const store = storeWith(undefined)
    const settings = createSettingsService(store, quiet)
    settings.update({ drafting: { stepChars: 50 } })
    settings.update({ editor: { isFocusMode: true }, theme: 'dark' })
    expect(settings.get().drafting).toMatchObject({ stepChars: 50, offsetChars: 4000 })
    expect(settings.get().editor).toMatchObject({ isFocusMode: true, ja: { lineHeight: 2.05 } })
    expect(store.value).toEqual(settings.get())
  })

  it('refuse a value outside of its limits and stay as they were', () => {
    const settings = createSettingsService(storeWith(undefined), quiet)
    expect(() =>
      settings.update({ editor: { ja: { ...settings.get().editor.ja, fontSizePx: 400 } } }),
    ).toThrow()
    expect(settings.get().editor.ja.fontSizePx).toBe(17)
  })

  it('lose only the value that is not valid any more', () => {
    const stored = { theme: 'mauve', editor: { fontSizePx: 20, lineHeight: 99 }, ggufFolders: ['/a', 3] }
    expect(createSettingsService(storeWith(stored), quiet).get()).toEqual(
      AppSettings.parse({ editor: { ja: { fontSizePx: 20 }, en: { fontSizePx: 20 } } }),
    )
    expect(createSettingsService(storeWith('garbage'), quiet).get()).toEqual(AppSettings.parse({}))
    const damaged = { theme: 'dark', editor: null }
    expect(createSettingsService(storeWith(damaged), quiet).get()).toEqual(
      AppSettings.parse({ theme: 'dark' }),
    )
  })

  it('stay as they were where they cannot be stored', () => {
    const store = storeWith(undefined)
    const settings = createSettingsService(
      {
        ...store,
        set() {
          throw new Error('disk full')
        },
      },
      quiet,
    )
    expect(() => settings.update({ theme: 'dark' })).toThrow('disk full')
    expect(settings.get().theme).toBe('system')
  })

  it.each([
    [16_384, null],
    [65_536, 65_536],
  ])('keep an older length of attached files where it was chosen: %s', (attachedFileBytes, limit) => {
    const settings = createSettingsService(storeWith({ attachedFileBytes }), quiet)
    expect(settings.get().attachedFileLimit).toBe(limit)
  })

  it('keep the model for speculations that was chosen under an older name', () => {
    const stored = { aheadProfileId: 'quick', speculationRole: 'ahead', theme: 'dark' }
    const settings = createSettingsService(storeWith(stored), quiet)
    expect(settings.get()).toEqual(
      AppSettings.parse({
        speculationProfileId: 'quick',
        speculationRole: 'speculation',
        theme: 'dark',
      }),
    )
  })

  it('tell every watcher, the present value first', async () => {
    const settings = createSettingsService(storeWith(undefined), quiet)
    const watcher = settings.watch(new AbortController().signal)
    expect((await watcher.next()).value?.theme).toBe('system')
    settings.update({ theme: 'light' })
    expect((await watcher.next()).value?.theme).toBe('light')
  })
})

/** The language on a host whose system speaks English, after windows of these languages have connected. */
function languageAfter(
  browsers: (string | undefined)[],
  given: { kind?: 'web' | 'electron'; isLocaleChosen?: boolean; choice?: 'ja' | 'en' } = {},
) {
  const { kind = 'web', isLocaleChosen, choice } = given
  const windowLanguage = createWindowLanguage(
    { get: () => ({ language: choice ?? 'system' }) },
    { shell: { kind }, locale: 'en-US' },
    isLocaleChosen === undefined ? {} : { isLocaleChosen },
  )
  for (const browser of browsers) windowLanguage.heard(browser)
  return windowLanguage.now()
}

describe('the language of the window, as the host knows it', () => {
  it('is the system’s before a browser has connected', () => {
    expect(languageAfter([])).toBe('en')
    expect(languageAfter([undefined])).toBe('en')
  })

  it('is the browser’s on a web host, of several windows the last one’s', () => {
    expect(languageAfter(['ja'])).toBe('ja')
    expect(languageAfter(['ja-JP', 'en-GB'])).toBe('en')
  })

  it('is the host’s in the desktop app, and where the command line named it', () => {
    expect(languageAfter(['ja'], { kind: 'electron' })).toBe('en')
    expect(languageAfter(['ja'], { isLocaleChosen: true })).toBe('en')
  })

  it('is the user’s choice before all', () => {
    expect(languageAfter(['ja'], { choice: 'en' })).toBe('en')
    expect(languageAfter(['en'], { choice: 'ja' })).toBe('ja')
  })
})

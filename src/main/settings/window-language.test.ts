import { describe, expect, it } from 'vitest'
import { createWindowLanguage } from './window-language.ts'

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

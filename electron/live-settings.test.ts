import { describe, expect, it } from 'vitest'
import { AppSettings } from '../src/shared/domain/app/app-settings.ts'
import { createLiveSettings } from './live-settings.ts'

async function seen(locale: string, ...changes: object[]) {
  const said: string[] = []
  const settings = createLiveSettings({
    api: {
      async *'settings.watch'() {
        for (const change of changes) yield AppSettings.parse(change)
      },
    },
    locale,
    signal: new AbortController().signal,
    onLanguage: () => said.push(settings.t()('menu.copy')),
    onTheme: (source) => said.push(source),
    onSpelling: (isOn) => said.push(`spelling ${isOn}`),
  })
  const before = settings.language()
  await settings.follow()
  return { before, said }
}

describe('createLiveSettings', () => {
  it('speaks the language of the system until the settings are there', async () => {
    expect(await seen('ja-JP')).toEqual({ before: 'ja', said: [] })
    expect(await seen('fr')).toEqual({ before: 'en', said: [] })
  })

  it('tells each thing once at first, with spelling off', async () => {
    expect((await seen('ja-JP', {})).said).toEqual(['コピー', 'system', 'spelling false'])
  })

  it('tells only what changes', async () => {
    const { said } = await seen('ja', {}, { language: 'en' }, { language: 'en', theme: 'sepia' })
    expect(said.slice(3)).toEqual(['Copy', 'light'])
  })

  it('switches spelling when the author does', async () => {
    const { said } = await seen('en', {}, { editor: { isSpellchecked: true } })
    expect(said.at(-1)).toBe('spelling true')
  })
})

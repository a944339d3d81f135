import type { Api } from '../src/shared/contract/index.ts'
import { AppSettings } from '../src/shared/domain/app/app-settings.ts'
import {
  chooseLanguage,
  createTranslate,
  type Language,
  type Translate,
} from '../src/shared/i18n/translate.ts'

/** Follows the settings, whichever window changes them, and reports only what changed. */
export function createLiveSettings(options: {
  api: Pick<Api, 'settings.watch'>
  /** BCP 47 tag of the system. */
  locale: string
  signal: AbortSignal
  onLanguage(): void
  onTheme(source: 'system' | 'light' | 'dark'): void
  onSpelling(isOn: boolean): void
}) {
  let language = chooseLanguage('system', options.locale)
  let t = createTranslate(language)
  let last: AppSettings | undefined

  function apply(settings: AppSettings): void {
    const next = chooseLanguage(settings.language, options.locale)
    if (last === undefined || next !== language) {
      language = next
      t = createTranslate(next)
      options.onLanguage()
    }
    // The system has no sepia, which has a light background.
    if (settings.theme !== last?.theme) options.onTheme(settings.theme === 'sepia' ? 'light' : settings.theme)
    if (settings.editor.isSpellchecked !== last?.editor.isSpellchecked) {
      options.onSpelling(settings.editor.isSpellchecked)
    }
    last = settings
  }

  return {
    language: (): Language => language,
    t: (): Translate => t,
    /** Ends when the signal aborts. */
    async follow(): Promise<void> {
      const { signal } = options
      for await (const settings of options.api['settings.watch']({}, { signal }))
        apply(AppSettings.parse(settings))
    },
  }
}

import type { AppSettings } from '../../shared/domain/app/app-settings.ts'
import { chooseLanguage, type Language } from '../../shared/i18n/translate.ts'
import type { Deps } from '../deps.ts'

/** The language that the window shows: for works and sessions that say nothing else, and for exports. */
export type WindowLanguage = {
  now(): Language
  /** Notes the language of a browser whose window has connected; of several windows the last one counts. */
  heard(browserLanguage: string | undefined): void
}

/**
 * Returns what the window itself goes by: the user's choice, else what the command line named, else the browser's
 * language; in the desktop app, and until a browser has connected, the system's.
 */
export function createWindowLanguage(
  settings: { get(): Pick<AppSettings, 'language'> },
  { shell, locale }: { shell: Pick<Deps['shell'], 'kind'>; locale: string },
  { isLocaleChosen = false }: { isLocaleChosen?: boolean },
): WindowLanguage {
  const isHosts = shell.kind === 'electron' || isLocaleChosen
  let ofWindow = locale
  return {
    now: () => chooseLanguage(settings.get().language, ofWindow),
    heard(browserLanguage) {
      if (!isHosts && browserLanguage !== undefined) ofWindow = browserLanguage
    },
  }
}

import { AppSettings, type AppSettingsPatch } from '../../shared/domain/app/app-settings.ts'
import { chooseLanguage, type Language } from '../../shared/i18n/translate.ts'
import type { Deps, Log } from '../deps.ts'
import { createBroadcast, startingWith } from '../platform/broadcast.ts'

/** Stores the settings as one JSON value. */
type SettingsStore = { get(): unknown; set(value: AppSettings): void }

/** The settings of this data folder, the same for every window. */
export type SettingsService = ReturnType<typeof createSettingsService>

export function createSettingsService(store: SettingsStore, log: Log) {
  const changes = createBroadcast<AppSettings>()
  let current = read(store.get(), log)
  return {
    get: (): AppSettings => current,
    update(patch: AppSettingsPatch): AppSettings {
      const next = AppSettings.parse({
        ...current,
        ...patch,
        editor: { ...current.editor, ...patch.editor },
        drafting: { ...current.drafting, ...patch.drafting },
        layerTokens: { ...current.layerTokens, ...patch.layerTokens },
      })
      store.set(next)
      current = next
      changes.send(current)
      return current
    },
    /** The settings now, then after each change. */
    watch: (signal: AbortSignal): AsyncGenerator<AppSettings, void, void> =>
      startingWith([current], changes.subscribe(signal)),
  }
}

/** Reads a value that another version may have written: parts that are not valid get their defaults. */
function read(kept: unknown, log: Log): AppSettings {
  const stored = withSpeculationModel(withAttachedLimit(withPages(kept)))
  const whole = AppSettings.safeParse(stored ?? {})
  if (whole.success) return whole.data
  const values = structuredClone(stored) as Record<string, unknown>
  for (const issue of whole.error.issues) removeAt(values, issue.path)
  log.write('warn', 'settings.reset', { paths: whole.error.issues.map((issue) => issue.path.join('.')) })
  return AppSettings.safeParse(values).data ?? AppSettings.parse({})
}

const oldAttachedBytes = 16_384

/** Converts the former limit in bytes: a value other than the old default was chosen by the user, and is kept. */
function withAttachedLimit(stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || !('attachedFileBytes' in stored)) return stored
  const { attachedFileBytes, ...rest } = stored
  return attachedFileBytes === oldAttachedBytes ? rest : { attachedFileLimit: attachedFileBytes, ...rest }
}

/** Converts the former names of the model that runs speculations. */
function withSpeculationModel(stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || !('aheadProfileId' in stored)) return stored
  const { aheadProfileId, speculationRole, ...rest } = stored as Record<string, unknown>
  const role = speculationRole === 'ahead' ? 'speculation' : speculationRole
  return { ...rest, speculationRole: role, speculationProfileId: aheadProfileId }
}

/** Converts settings of version 0.1, which had one page for all languages: both languages get its measures. */
function withPages(stored: unknown): unknown {
  const { editor, ...rest } = (stored ?? {}) as { editor?: Record<string, unknown> }
  if (typeof editor !== 'object' || editor === null || editor.ja !== undefined) return stored
  const { fontSizePx, lineHeight, measureEm, ...others } = editor
  const page = Object.fromEntries(
    Object.entries({ fontSizePx, lineHeight, measureEm }).filter(([, value]) => value !== undefined),
  )
  return { ...rest, editor: { ...others, ja: page, en: page } }
}

function removeAt(values: unknown, path: readonly PropertyKey[]): void {
  const [head, ...rest] = path
  if (typeof values !== 'object' || values === null || head === undefined) return
  const record = values as Record<PropertyKey, unknown>
  // An item of a list cannot be missing: the whole list goes back to its default.
  if (rest.length === 0 || Array.isArray(record[head])) delete record[head]
  else removeAt(record[head], rest)
}

/**
 * Returns the language that the window shows, for works and sessions that say nothing else, and for exports: the
 * user's choice, else what the command line named, else the browser's language; in the desktop app, and until a browser
 * has connected, the system's.
 */
export function createWindowLanguage(
  settings: { get(): Pick<AppSettings, 'language'> },
  { shell, locale }: { shell: Pick<Deps['shell'], 'kind'>; locale: string },
  { isLocaleChosen = false }: { isLocaleChosen?: boolean },
) {
  const isHosts = shell.kind === 'electron' || isLocaleChosen
  let ofWindow = locale
  return {
    now: (): Language => chooseLanguage(settings.get().language, ofWindow),
    /** Notes the language of a browser whose window has connected; of several windows the last one counts. */
    heard(browserLanguage: string | undefined): void {
      if (!isHosts && browserLanguage !== undefined) ofWindow = browserLanguage
    },
  }
}

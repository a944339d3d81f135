import type { Event, Session, WebContents } from 'electron'
import { DocumentedEmitter, documentClass, documentModule } from './documented.ts'

type Offered = Pick<
  Session,
  | 'addWordToSpellCheckerDictionary'
  | 'isSpellCheckerEnabled'
  | 'setDevicePermissionHandler'
  | 'setPermissionCheckHandler'
  | 'setPermissionRequestHandler'
  | 'setSpellCheckerEnabled'
  | 'setSpellCheckerLanguages'
>
type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

const sessionEvents = { 'will-download': ['event', 'item', 'webContents', 'frame'] } as const

class StandInSession extends DocumentedEmitter implements Offered {
  #check: CheckHandler | null = null
  #words = new Set<string>()
  #isSpellChecked = true

  constructor() {
    super('Session', sessionEvents)
  }

  /** Returns whether `navigator.permissions` in a page reports a permission as granted. */
  _isGranted(permission: Permission, origin: string): boolean {
    return this.#check?.(null, permission, origin, { isMainFrame: true, requestingUrl: origin }) ?? true
  }
  _willDownload(event: Event, item: { getURL(): string }, webContents: WebContents | undefined): void {
    this.emit('will-download', event, item, webContents, null)
  }

  setPermissionCheckHandler(handler: CheckHandler | null): void {
    this.#check = handler
  }
  setPermissionRequestHandler(_handler: Parameters<Session['setPermissionRequestHandler']>[0]): void {
    // Only a desktop could show it.
  }
  setDevicePermissionHandler(_handler: Parameters<Session['setDevicePermissionHandler']>[0]): void {
    // Only a desktop could show it.
  }
  /** Source: Electron's session fetches a Hunspell dictionary for the locale unless it is told not to at once. */
  _refuseDictionary(): void {
    if (this.#isSpellChecked) {
      throw new Error('The session would fetch a dictionary: nothing switched spell checking off in time.')
    }
  }

  setSpellCheckerEnabled(enable: boolean): void {
    this.#isSpellChecked = enable
  }
  isSpellCheckerEnabled(): boolean {
    return this.#isSpellChecked
  }
  /** Source: `ses.setSpellCheckerLanguages` throws for languages that no dictionary is known for. */
  setSpellCheckerLanguages(languages: string[]): void {
    const unknown = languages.find((language) => !/^[a-z]{2}(-[A-Z]{2})?$/.test(language))
    if (unknown !== undefined) throw new Error(`Invalid language code provided: "${unknown}"`)
  }
  addWordToSpellCheckerDictionary(word: string): boolean {
    this.#words.add(word)
    return true
  }
}
documentClass('Session', StandInSession, sessionEvents)

export const defaultSession = new StandInSession()
export const session = documentModule('Session', { defaultSession })

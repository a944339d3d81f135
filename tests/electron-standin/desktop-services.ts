import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto'
import type {
  Display,
  NativeTheme,
  NotificationConstructorOptions,
  SafeStorage,
  Screen,
  Shell,
} from 'electron'
import { DocumentedEmitter, documentClass, documentModule } from './documented.ts'
import { standInApp } from './electron-app.ts'
import { StandInBrowserWindow } from './windows/browser-window.ts'

const offeredShell: Pick<Shell, 'openExternal' | 'openPath' | 'showItemInFolder'> = {
  openExternal: async () => undefined,
  openPath: async () => '',
  showItemInFolder: () => undefined,
}
export const shell = documentModule('Shell', offeredShell)

/** The password that Chromium uses where a desktop has no key store; it is publicly known. */
const basicTextKey = scryptSync('peanuts', 'electron-standin', 16)
const noVector = Buffer.alloc(16)

const offeredStorage: Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
> = {
  isAsyncEncryptionAvailable: async () => standInApp.isReady(),
  getSelectedStorageBackend: () => (standInApp.isReady() ? 'basic_text' : 'unknown'),
  async encryptStringAsync(text) {
    const cipher = createCipheriv('aes-128-cbc', basicTextKey, noVector)
    return Buffer.concat([Buffer.from('v10'), cipher.update(text, 'utf8'), cipher.final()])
  },
  async decryptStringAsync(encrypted) {
    const decipher = createDecipheriv('aes-128-cbc', basicTextKey, noVector)
    const bytes = Buffer.concat([decipher.update(encrypted.subarray(3)), decipher.final()])
    return { result: bytes.toString('utf8'), shouldReEncrypt: false }
  },
}
export const safeStorage = documentModule('SafeStorage', offeredStorage)

const whole = { x: 0, y: 0, width: 1600, height: 1000 }
const display = { id: 1, bounds: whole, workArea: whole, scaleFactor: 1 } as Display
const offeredScreen: Pick<Screen, 'getPrimaryDisplay' | 'getAllDisplays'> = {
  getPrimaryDisplay: () => display,
  getAllDisplays: () => [display],
}
export const screen = documentModule('Screen', offeredScreen)

const nativeThemeEvents = { updated: [] } as const

/** The desktop itself is light. */
class StandInNativeTheme
  extends DocumentedEmitter
  implements Pick<NativeTheme, 'themeSource' | 'shouldUseDarkColors'>
{
  #source: NativeTheme['themeSource'] = 'system'

  constructor() {
    super('NativeTheme', nativeThemeEvents)
  }
  get themeSource(): NativeTheme['themeSource'] {
    return this.#source
  }
  set themeSource(source: NativeTheme['themeSource']) {
    this.#source = source
    const scheme = this.shouldUseDarkColors ? 'dark' : 'light'
    for (const window of StandInBrowserWindow.getAllWindows()) void window.webContents._setColorScheme(scheme)
    this.emit('updated')
  }
  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark'
  }
}
documentClass('NativeTheme', StandInNativeTheme, nativeThemeEvents)
export const nativeTheme = new StandInNativeTheme()

const notificationEvents = { click: ['event'], show: ['event'], close: ['details'] } as const

export class StandInNotification extends DocumentedEmitter {
  readonly #options: NotificationConstructorOptions

  constructor(options: NotificationConstructorOptions = {}) {
    super('Notification', notificationEvents)
    this.#options = options
  }
  static isSupported(): boolean {
    return true
  }
  get title(): string {
    return this.#options.title ?? ''
  }
  get body(): string {
    return this.#options.body ?? ''
  }
  show(): void {
    // Only a desktop could show it.
  }
  close(): void {
    // Only a desktop could show it.
  }
}
documentClass('Notification', StandInNotification, notificationEvents)

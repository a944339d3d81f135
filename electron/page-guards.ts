import type { Session, WebContents } from 'electron'
import { appOrigin, isAppPage, isOutsideAddress } from './app-protocol.ts'

/**
 * Keeps a page from navigating away, opening windows and embedding pages. Addresses outside of the app are opened in
 * the system's browser.
 */
export function guardPage(
  webContents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>,
  openOutside: (address: string) => void,
): void {
  webContents.setWindowOpenHandler(({ url }) => {
    if (isOutsideAddress(url)) openOutside(url)
    return { action: 'deny' }
  })
  webContents.on('will-frame-navigate', (details) => {
    if (details.isMainFrame && isAppPage(details.url)) return
    details.preventDefault()
    if (details.isMainFrame && isOutsideAddress(details.url)) openOutside(details.url)
  })
  webContents.on('will-attach-webview', (event) => event.preventDefault())
}

/** Permissions granted to the page. It notifies through `host.notify` instead, since a click must raise the window. */
const allowedPermissions = new Set(['clipboard-sanitized-write'])

/**
 * Denies camera, location, devices and the like to whatever runs in the session. The only download allowed is a file
 * that our own page has made (an exported conversation), saved where the user chooses.
 */
export function guardSession(
  session: Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler' | 'on'
  >,
): void {
  session.setPermissionRequestHandler((_webContents, permission, answer) =>
    answer(allowedPermissions.has(permission)),
  )
  session.setPermissionCheckHandler((_webContents, permission) => allowedPermissions.has(permission))
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event, item) => {
    if (!item.getURL().startsWith(`blob:${appOrigin}/`)) event.preventDefault()
  })
}

/**
 * Turns spelling marks on or off, as the user wants; they are off until then.
 *
 * Shape: without languages Electron fetches no dictionary, so the app stays offline while it is off.
 * Source: Electron `ses.setSpellCheckerLanguages`; on macOS the system's checker knows the languages.
 */
export function setSpelling(
  session: Pick<Session, 'setSpellCheckerEnabled' | 'setSpellCheckerLanguages'>,
  isOn: boolean,
  platform: NodeJS.Platform,
): void {
  if (platform !== 'darwin') session.setSpellCheckerLanguages(isOn ? ['en-US'] : [])
  session.setSpellCheckerEnabled(isOn)
}

import type { CustomScheme, Session, WebContents } from 'electron'
import type { RendererFiles } from '../src/main/web-host/renderer-files.ts'

const scheme = 'tsugi'
export const appOrigin = `${scheme}://app`
export const appPage = `${appOrigin}/index.html`

/**
 * The scheme of the window's page; it must be registered before the app is ready.
 *
 * Shape: `standard` gives the page an origin of its own; without `corsEnabled` and without a registration
 * with the system, no other page and no link can reach it.
 * Source: Electron `protocol.registerSchemesAsPrivileged`.
 */
export const appScheme: CustomScheme = {
  scheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
}

/** Answers the window's requests from the built files, with the same headers as the web host. */
export function createAppHandler(files: RendererFiles): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url)
    if (url.protocol !== `${scheme}:` || url.host !== 'app') return new Response(null, { status: 404 })
    if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(null, { status: 405 })
    const file = await files.read(url.pathname, { gzip: false })
    if (file === undefined) return new Response(null, { status: 404 })
    const body = request.method === 'HEAD' ? null : new Uint8Array(file.body)
    return new Response(body, { status: 200, headers: file.headers })
  }
}

/** True for the window's own page; nothing else may be shown in a window. */
export function isAppPage(address: string): boolean {
  return URL.canParse(address) && address.startsWith(`${appOrigin}/`)
}

/** True for addresses that the system's browser or mail program may open. */
export function isOutsideAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  return ['https:', 'http:', 'mailto:'].includes(new URL(address).protocol)
}

/** Keeps a page from navigating away, opening windows and embedding pages; other links open in the system. */
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

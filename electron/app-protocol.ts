import type { CustomScheme } from 'electron'
import type { RendererFiles } from '../src/main/web-host/renderer-files.ts'

const scheme = 'tsugi'
/** Origin of the window's page. */
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

import { fromChromiumAddress } from '../schemes.ts'
import { defaultSession } from '../session.ts'
import type { Chromium } from './chromium.ts'

/** Permissions by their names in Electron and in the DevTools protocol. */
const permissions = [
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['media', 'camera'],
  ['media', 'microphone'],
  ['clipboard-read', 'clipboard-read'],
  ['clipboard-sanitized-write', 'clipboard-write'],
] as const

/** Makes `navigator.permissions` in a page say what the app's handler says. */
export async function applyPermissions(chromium: Chromium, origin: string): Promise<void> {
  // A page without an origin of its own is granted nothing anyway.
  if (origin === 'null') return
  const ownOrigin = fromChromiumAddress(`${origin}/`).replace(/\/$/, '')
  for (const [permission, name] of permissions) {
    const setting = defaultSession._isGranted(permission, ownOrigin) ? 'granted' : 'denied'
    await chromium.send('Browser.setPermission', { permission: { name }, setting, origin })
  }
}

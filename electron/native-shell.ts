import { existsSync } from 'node:fs'
import type { Shell as ElectronShell } from 'electron'
import type { SecretStore, Shell } from '../src/main/deps.ts'

/** What the desktop lends to services. */
export function createNativeShell(
  electronShell: Pick<ElectronShell, 'showItemInFolder'>,
  secrets: SecretStore,
): Shell {
  return {
    kind: 'electron',
    secrets,
    async reveal(path) {
      // Electron does not say whether it could; a file manager that opens on nothing helps nobody.
      if (!existsSync(path)) return false
      electronShell.showItemInFolder(path)
      return true
    },
  }
}

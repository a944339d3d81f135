import { existsSync } from 'node:fs'
import type { App, Shell as ElectronShell } from 'electron'
import type { HostNotice, SecretStore, Shell } from '../src/main/deps.ts'
import type { PickPurpose } from '../src/shared/domain/app/host-info.ts'
import type { PickKind, Questions } from './questions.ts'

const kinds: Record<PickPurpose, PickKind> = {
  'open-work': 'folder',
  'open-project': 'folder',
  'create-work': 'new-folder',
  'open-gguf': 'model',
  'gguf-folder': 'folder',
  'export-project': 'new-project',
  'export-text': 'new-file',
  'export-chapters': 'new-file',
  'import-text': 'file',
  'import-lore': 'lore',
  'export-lore': 'new-lore',
  'add-folder': 'folder',
}

export function createNativeShell(
  electronShell: Pick<ElectronShell, 'showItemInFolder'>,
  secrets: SecretStore,
  pick: Questions['pick'],
  notify: (notice: HostNotice) => void,
): Shell {
  return {
    kind: 'electron',
    secrets,
    notify,
    pick: (purpose, defaultPath) => pick(kinds[purpose], defaultPath),
    async reveal(path) {
      // Electron does not report whether it succeeded, and a file manager without the file is of no use.
      if (!existsSync(path)) return false
      electronShell.showItemInFolder(path)
      return true
    },
  }
}

/** The `appId` of `electron-builder.yml`. */
const appId = 'io.github.tsugi.desktop'

/** Windows shows notifications only of an app that goes by the name that its shortcut was installed with. */
export function nameForWindows(app: Pick<App, 'setAppUserModelId'>, platform: NodeJS.Platform): void {
  if (platform === 'win32') app.setAppUserModelId(appId)
}

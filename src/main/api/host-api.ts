import type { hostContract } from '../../shared/contract/host.ts'
import type { Api } from '../../shared/contract/index.ts'
import type { HostEvent, HostInfo } from '../../shared/domain/app/host-info.ts'
import { AppError } from '../../shared/errors.ts'
import type { Shell } from '../deps.ts'
import type { Broadcast } from '../platform/broadcast.ts'
import { createFolder, listFolder } from '../platform/files/folder-listing.ts'
import type { SettingsService } from '../settings/settings-service.ts'

/** The host itself, its settings and its folder picker. */
export function createHostApi(parts: {
  /** `language`: of the browser that asks. */
  info: (language: string | undefined) => HostInfo
  events: Broadcast<HostEvent>
  /** Events from before the first window, which receives them. */
  notices: HostEvent[]
  settings: SettingsService
  shell: Shell
}): Pick<Api, keyof typeof hostContract> {
  const { settings, shell } = parts
  return {
    'host.info': async ({ language }) => parts.info(language),
    'host.watch': (_input, { signal }) =>
      startingWith(parts.notices.splice(0), parts.events.subscribe(signal)),
    'host.keyStore': async () => ({ isEncrypted: await shell.secrets.isEncrypted() }),
    async 'host.notify'(notice) {
      if (shell.notify === undefined)
        throw new AppError({ code: 'rpc/unknown-method', method: 'host.notify' })
      shell.notify(notice)
      return {}
    },
    async 'host.restoreBackup'() {
      throw new AppError({ code: 'rpc/unknown-method', method: 'host.restoreBackup' })
    },
    'settings.get': async () => settings.get(),
    'settings.update': async ({ patch }) => settings.update(patch),
    'settings.watch': (_input, { signal }) => settings.watch(signal),
    'folder.list': async ({ path }) => listFolder(path),
    'folder.create': async ({ parent, name }) => ({ path: await createFolder(parent, name) }),
    'folder.reveal': async ({ path }) => ({ isShown: await shell.reveal(path) }),
    async 'folder.pick'({ purpose, defaultPath }) {
      if (shell.pick === undefined) throw new AppError({ code: 'rpc/unknown-method', method: 'folder.pick' })
      return { path: await shell.pick(purpose, defaultPath) }
    },
  }
}

async function* startingWith<T>(first: readonly T[], later: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  yield* first
  yield* later
}

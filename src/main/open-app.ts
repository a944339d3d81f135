import { createApp } from './app.ts'
import type { Deps } from './deps.ts'
import type { App, AppOptions } from './lifecycle/running-app.ts'
import { dataFolderAt } from './platform/files/data-folder.ts'
import { createBackups } from './store/database/backups.ts'

/**
 * Opens the app. Where the database is damaged and has backups, opens an app that offers to restore one first.
 *
 * Errors: `store/damaged` where there is no backup; `store/newer`, `host/bad-data-folder`.
 */
export async function openApp(deps: Deps, options: AppOptions): Promise<App> {
  const { database, backups: folder } = dataFolderAt(deps.dataDir)
  return createApp(deps, options).catch(async (error: unknown) => {
    const { openDamaged } = await import('./lifecycle/damaged-app.ts')
    const backups = createBackups(database, folder, deps.clock)
    return openDamaged({ deps, options, createApp, backups }, error)
  })
}

import { expect, type Page } from '@playwright/test'
import {
  type AppWindowOptions,
  configure,
  lastPathOf,
  newWork,
  type OpenAppWindow,
  onDiskIn,
  openAppWindow,
  openManuscript,
  page001,
  startKobold,
  toolsOf,
} from './open-app-window.ts'
import { closeLayers, freshSettings, pageErrors } from './open-room.ts'
import type { Keeper } from './worker-test.ts'

/** The options that can change without restarting the host: the work, its model server, the settings of drafting. */
export type SharedAppWindowOptions = Omit<AppWindowOptions, 'gguf' | 'key'>

/** A window that the tests of a worker share: its host stays, so it cannot be ended. */
export type SharedAppWindow = Omit<OpenAppWindow, 'restart' | 'host'>

/**
 * Opens the window that tests of drafting share: starting a host and a window is more than half of what a test costs.
 * Each test has a new folder, a new model server and the settings of a new host. A test that changes anything else (the
 * window's size, the last search and replacement) or ends the host has a window of its own, by `openAppWindow`.
 */
export async function openSharedAppWindow(
  keeper: Keeper<OpenAppWindow>,
  newPage: () => Promise<Page>,
  options: SharedAppWindowOptions,
): Promise<SharedAppWindow> {
  const atEnd = (ending: () => Promise<void>) => void keeper.endings.push(ending)
  if (keeper.opened !== null) return renew(keeper.opened, options, atEnd)
  const page = await newPage()
  keeper.endings.push(() => page.context().close())
  keeper.errors = pageErrors(page)
  keeper.opened = await openAppWindow(page, options, atEnd)
  return keeper.opened
}

/** Ends what a test left running, so that it is not drawn during tests of other kinds. */
export async function leaveSharedAppWindow({ opened }: Keeper<OpenAppWindow>): Promise<void> {
  if (opened === null) return
  const { appWindow, client, kobold, root } = opened
  await closeLayers(appWindow.page)
  if (kobold.current?.isRunning !== true) return
  const { workId } = await client['work.open']({ path: root })
  await client['draft.stopEndless']({ workId })
  for (const { runId, state } of (await client['run.list']({ workId })).runs)
    if (state === 'running') await client['run.stop']({ runId })
}

/** Resets the window to the state that a new host would show. */
async function renew(
  opened: OpenAppWindow,
  options: SharedAppWindowOptions,
  atEnd: (ending: () => Promise<void>) => void,
): Promise<OpenAppWindow> {
  const { appWindow, client } = opened
  const files = options.files ?? { [page001]: openManuscript }
  const root = await newWork(files, atEnd)
  const kobold = await startKobold(options, atEnd)
  const { profiles } = await client['profile.list']({})
  await client['settings.update']({ patch: { ...freshSettings, fastProfileId: null } })
  await configure(client, kobold, root, options)
  await appWindow.openFolder(root)
  for (const { id } of profiles) await client['profile.remove']({ profileId: id })
  await opened.kobold.close()
  // The context of the new work may have alerts of its own.
  await appWindow.showTab('詳細')
  await expect(appWindow.page.getByRole('alert')).toHaveCount(0)
  await appWindow.caretToEnd()
  return Object.assign(opened, {
    kobold,
    root,
    ...toolsOf(kobold, atEnd),
    onDisk: onDiskIn(root, lastPathOf(files)),
  })
}

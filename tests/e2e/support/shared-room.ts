import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { scriptedMind } from '../../fakes/sessions/scripted-mind.ts'
import {
  beginIn,
  closeLayers,
  freshSettings,
  holdModel,
  type OpenRoom,
  openRoom,
  pageErrors,
  type RoomOptions,
  settingsOf,
  writeFiles,
} from './open-room.ts'
import type { Keeper } from './worker-test.ts'

/** The options that can change without restarting the host: its sessions, the folder's files, the model's answers. */
export type SharedOptions = Pick<RoomOptions, 'files' | 'thoughts' | 'mode' | 'isDirect' | 'suggestions'> & {
  llama?: { tokenMs: number }
}

/** A room that the tests of a worker share: its host stays, so it cannot be ended. */
export type SharedRoom = Omit<OpenRoom, 'restart' | 'host'>

/**
 * Opens the room that tests of sessions share: starting a host and a window is more than half of what a test costs.
 * Before each test the settings, the rules and the known models are reset, and the folder is emptied. A test that
 * changes anything else (trust, a folder's own settings, what is remembered of a folder, the folder itself) or ends the
 * host has a room of its own, by `openRoom`.
 */
export async function openSharedRoom(
  keeper: Keeper<OpenRoom>,
  newPage: () => Promise<Page>,
  options: SharedOptions,
): Promise<SharedRoom> {
  if (keeper.opened !== null) return renew(keeper.opened, options)
  const page = await newPage()
  keeper.endings.push(() => page.context().close())
  keeper.errors = pageErrors(page)
  keeper.opened = await openRoom(page, options, (ending) => keeper.endings.push(ending))
  return keeper.opened
}

/** Removes the sessions at the end of a test, so that nothing goes on and is drawn during tests of other kinds. */
export async function leaveSharedRoom({ opened }: Keeper<OpenRoom>): Promise<void> {
  if (opened === null) return
  const { client, workId, room } = opened
  await closeLayers(room.page)
  for await (const { sessions } of client['session.watchList']({ workId })) {
    for (const { sessionId } of sessions) await client['session.remove']({ sessionId })
    break
  }
}

/** Resets the room to the state that a new host would show. */
async function renew(opened: OpenRoom, options: SharedOptions): Promise<OpenRoom> {
  const { root, room, llama } = opened
  for (const name of await readdir(root)) await rm(join(root, name), { recursive: true, force: true })
  await writeFiles(root, options.files)
  const mind = scriptedMind(...(options.thoughts ?? []))
  mind.suggest(...(options.suggestions ?? []))
  llama.options.answer = mind.answer
  if (options.llama === undefined) delete llama.options.tokenMs
  else llama.options.tokenMs = options.llama.tokenMs
  await resetHost(opened, options)
  const rows = room.list.locator('.session-open')
  await expect(rows).toHaveCount(0)
  const renewed: OpenRoom = { ...opened, mind, holdModel: () => holdModel(llama, mind) }
  await beginIn(renewed, options.mode)
  await expect(rows).toHaveCount(1)
  await expect(rows).toHaveAttribute('aria-current', 'page')
  await expect(room.box.locator('.cm-placeholder')).toBeVisible()
  await room.showTab('方針')
  await room.box.focus()
  llama.requests.length = 0
  return renewed
}

/** Resets what a host keeps besides its sessions. */
async function resetHost({ client, workId, profileId }: OpenRoom, options: SharedOptions): Promise<void> {
  const { mainProfileId } = await client['settings.update']({
    patch: { ...freshSettings, ...settingsOf(options), fastProfileId: null },
  })
  const { profiles } = await client['profile.list']({})
  if (mainProfileId !== profileId) await client['profile.select']({ profileId })
  for (const { id } of profiles) if (id !== profileId) await client['profile.remove']({ profileId: id })
  const { rules } = await client['rule.list']({ workId })
  for (const { ruleId } of rules) await client['rule.remove']({ workId, ruleId })
  if (options.suggestions === undefined) return
  await client['suggestion.erase']({})
  await client['suggestion.resume']({})
  await client['speculation.resume']({})
}

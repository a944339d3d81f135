import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { scriptedMind } from '../../fakes/scripted-mind.ts'
import {
  beginIn,
  holdModel,
  type OpenRoom,
  openRoom,
  pageErrors,
  type RoomOptions,
  writeFiles,
} from './open-room.ts'
import type { Keeper } from './worker-test.ts'

/** The options that can change without restarting the host: its sessions, the folder's files, the model's answers. */
export type SharedOptions = Pick<RoomOptions, 'files' | 'thoughts' | 'mode'> & { llama?: { tokenMs: number } }

/** A room that the tests of a worker share: its host stays, so it cannot be ended. */
export type SharedRoom = Omit<OpenRoom, 'restart' | 'host'>

/**
 * Opens the room that tests of sessions share: starting a host and a window is more than half of what a test costs.
 * Before each test the sessions are removed and the folder is emptied. A test that changes anything else (settings,
 * rules, the model, the folder itself) or ends the host has a room of its own, by `openRoom`.
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

/** Resets the room to the state that a new host would show. */
async function renew(opened: OpenRoom, options: SharedOptions): Promise<OpenRoom> {
  const { client, workId, root, room, llama } = opened
  // A test may end with a dialog open.
  const dialogs = room.page.getByRole('dialog')
  for (let pressed = 0; pressed < 3 && (await dialogs.count()) > 0; pressed += 1)
    await room.page.keyboard.press('Escape')
  for await (const { sessions } of client['session.watchList']({ workId })) {
    for (const { sessionId } of sessions) await client['session.remove']({ sessionId })
    break
  }
  for (const name of await readdir(root)) await rm(join(root, name), { recursive: true, force: true })
  await writeFiles(root, options.files)
  const mind = scriptedMind(...(options.thoughts ?? []))
  llama.options.answer = mind.answer
  if (options.llama === undefined) delete llama.options.tokenMs
  else llama.options.tokenMs = options.llama.tokenMs
  llama.requests.length = 0
  const rows = room.list.locator('.session-open')
  await expect(rows).toHaveCount(0)
  const renewed: OpenRoom = { ...opened, mind, holdModel: () => holdModel(llama, mind) }
  await beginIn(renewed, options.mode)
  await expect(rows).toHaveCount(1)
  await expect(rows).toHaveAttribute('aria-current', 'page')
  await expect(room.box.locator('.cm-placeholder')).toBeVisible()
  return renewed
}

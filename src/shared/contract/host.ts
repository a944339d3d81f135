import { z } from 'zod'
import { AppSettings, AppSettingsPatch } from '../domain/app/app-settings.ts'
import { HostEvent, HostInfo, PickPurpose } from '../domain/app/host-info.ts'
import { FolderListing } from '../domain/work/work.ts'
import { call, stream } from './method.ts'

export const hostContract = {
  /** `language`: the BCP 47 tag of the window's browser. A web host goes by it where nothing else says a language. */
  'host.info': call(z.object({ language: z.string().max(100).optional() }), HostInfo),
  'host.watch': stream(z.object({}), HostEvent),

  /**
   * Whether keys of servers are encrypted at rest. Asks the system's key store, which may ask the user.
   *
   * Errors: `secret/store-locked`.
   */
  'host.keyStore': call(z.object({}), z.object({ isEncrypted: z.boolean() })),

  /**
   * Shows a notice of the system; a click on it raises the window and runs `command` there.
   *
   * Errors: `rpc/unknown-method` where `hasNotices` is false.
   */
  'host.notify': call(z.object({ body: z.string(), command: z.literal('gate.focus') }), z.object({})),

  /**
   * Replaces a damaged database by a backup. Its `name` is one of `host.info`'s `damage`.
   *
   * Errors: `file/not-found`; `store/damaged` for a backup that is damaged itself; `rpc/unknown-method` where the
   * database is not damaged.
   */
  'host.restoreBackup': call(z.object({ name: z.string() }), z.object({})),

  'settings.get': call(z.object({}), AppSettings),
  'settings.update': call(z.object({ patch: AppSettingsPatch }), AppSettings),
  /** The settings now, and again after each change from any window. */
  'settings.watch': stream(z.object({}), AppSettings),

  /** The app's own picker: what lies in a folder; without a path, the home folder. */
  'folder.list': call(z.object({ path: z.string().optional() }), FolderListing),
  'folder.create': call(z.object({ parent: z.string(), name: z.string() }), z.object({ path: z.string() })),
  /**
   * Shows the system's own dialog; null where nothing was chosen. `defaultPath` may be a name alone.
   *
   * Errors: `rpc/unknown-method` where `hasNativePicker` is false.
   */
  'folder.pick': call(
    z.object({ purpose: PickPurpose, defaultPath: z.string().optional() }),
    z.object({ path: z.string().nullable() }),
  ),
  /** False where the host has no file manager. */
  'folder.reveal': call(z.object({ path: z.string() }), z.object({ isShown: z.boolean() })),
}

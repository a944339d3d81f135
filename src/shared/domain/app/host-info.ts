import { z } from 'zod'

/** A copy of the database that can be restored. Units: `at` is Unix time in ms. */
export const RecordBackup = z.object({ name: z.string(), at: z.number(), sizeBytes: z.number() })
export type RecordBackup = z.infer<typeof RecordBackup>

/** The host runs without its database, which is damaged, until one of its backups is restored. */
export const RecordDamage = z.object({
  path: z.string(),
  reason: z.string(),
  /** Newest first, at least one: without any the host does not start. */
  backups: z.array(RecordBackup),
})
export type RecordDamage = z.infer<typeof RecordDamage>

/** The facts about its host that a window has from the start. */
export const HostInfo = z.object({
  version: z.string(),
  kind: z.enum(['web', 'electron']),
  hostId: z.string(),
  dataDir: z.string(),
  /** BCP 47 tag of the host's system, or of the language that its command line named. */
  locale: z.string(),
  /** The command line named the language, which then takes precedence over the browser's. */
  isLocaleChosen: z.boolean(),
  /** True where `folder.pick` shows the system's dialog; elsewhere the window has its own picker. */
  hasNativePicker: z.boolean(),
  /** True where `host.notify` shows a notice of the system; elsewhere the page asks the browser for it. */
  hasNotices: z.boolean(),
  /** Folder named on the command line, to be opened first. */
  openPath: z.string().nullable(),
  /** Set where the database cannot be read: windows can then only restore one of its backups. */
  damage: RecordDamage.nullable(),
})
export type HostInfo = z.infer<typeof HostInfo>

/** The purpose of a file or folder picker; `create-work` and the export purposes name something new. */
export const PickPurpose = z.enum([
  'open-work',
  'open-project',
  'create-work',
  'open-gguf',
  'gguf-folder',
  'export-project',
  'export-text',
  'export-chapters',
  'import-text',
  'import-lore',
  'export-lore',
  'add-folder',
])
export type PickPurpose = z.infer<typeof PickPurpose>

/** An event that the host sends to all its windows. */
export const HostEvent = z.discriminatedUnion('type', [
  /** The app was started a second time, with a folder for the running host to open. */
  z.object({ type: z.literal('open-path'), path: z.string() }),
  /** The last host ended uncleanly; `documents` came back with text that was not on disk. */
  z.object({ type: z.literal('recovered'), documents: z.array(z.string()), changeSets: z.number() }),
  /**
   * Ignored files of a command's result that this start could not put into `root`, since they were changed or replaced
   * after the command, or have other names. `paths`: the first of them, relative; `count`: all.
   */
  z.object({
    type: z.literal('files-left'),
    root: z.string(),
    paths: z.array(z.string()),
    count: z.number(),
  }),
  /** Rows of the database cannot be read and are skipped; sent once. */
  z.object({ type: z.literal('damaged-rows') }),
  z.object({ type: z.literal('closing') }),
  /** A backup of the database was restored: each window starts again. */
  z.object({ type: z.literal('restored') }),
  /** The desktop's menu asks for one of the window's own commands. */
  z.object({ type: z.literal('command'), id: z.string() }),
])
export type HostEvent = z.infer<typeof HostEvent>

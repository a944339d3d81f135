import type { ToolOperations } from '../../tools/tool-operations.ts'

/**
 * Change set id of writes to an overlay: there is no change set to take back. Code that notes change sets skips an
 * empty id.
 */
export const overlayChangeSetId = ''

/**
 * The state of one changed file in an overlay.
 *
 * Shape: `baseHash` and `baseBytes` are what the change was made on, `newBytes` what there is now; null: no such
 * file. `mode` is for a new file, and for one whose permissions a command changed; null where the file is there and
 * keeps its own. `ignoredTop`: a command changed it, and ignore files name it or this folder that it lies in.
 */
export type OverlayFile = {
  path: string
  baseHash: string | null
  baseBytes: Uint8Array | null
  newBytes: Uint8Array | null
  mode: number | null
  ignoredTop: string | null
}

/** Files that changed after they may have been read. Shape: `hasMore`: they are the first of many. */
export type StaleFiles = { paths: string[]; hasMore: boolean }

/**
 * A folder as it would be: what tools write stays in private files, what they read is the real folder with these
 * on top. Nothing in the folder is changed, and only this host knows where the private files are.
 *
 * Shape: all paths are real project paths, as the operations below give them.
 */
export type Overlay = {
  readonly overlayId: string
  /**
   * The operations of tools. `execute` runs read-only commands as long as nothing was written, and any command in a
   * copy of the folder, whose changes come into this overlay.
   *
   * Errors: as the operations below; `command/not-read-only` for any other command.
   */
  readonly operations: ToolOperations
  /** True from the first write on, of this layer or of one below: what is on the disk is not what tools see. */
  readonly hasWrites: boolean
  /**
   * Returns the net result in the order of paths, without files whose bytes are as before.
   *
   * Errors: `speculation/files-gone` where a private file is gone or was changed: no file may be applied then.
   */
  files(): Promise<OverlayFile[]>
  /**
   * Returns what was read and not changed: path → hash at the first read. A file also counts as read where a search
   * showed lines of it; the hash is empty where the file was gone before it could be hashed.
   */
  reads(): ReadonlyMap<string, string>
  /** Notes that a command which is about to run in the folder may read any of its files. */
  noteAnyRead(signal: AbortSignal): Promise<void>
  /** Returns files that changed since a command ran that may have read any. */
  staleForCommands(): Promise<StaleFiles>
  /**
   * Returns a layer on top of this one as it is now, for a chained speculation: it sees this one's content; its own
   * changes and hashes are relative to it. It stays when this one is discarded.
   */
  stack(): Promise<Overlay>
  /** Writes this layer into the folder, by `write`: commands of layers above it run before or after that. */
  takeIn<T>(write: () => Promise<T>): Promise<T>
  /** Sends all calls to the operations below from now on, as soon as running calls have finished. */
  release(): void
  /** Stops what runs and removes the private files. Later calls fail unless the layer was released. */
  discard(): Promise<void>
}

export type Overlays = {
  /**
   * Opens an empty overlay of a folder.
   *
   * Shape: `root` is the folder's real path, `base` its real operations. Errors: `file/disk-full`, `file/denied`.
   */
  open(folder: OverlayFolder): Promise<Overlay>
  /** Removes files that earlier hosts have left; to be called once, while this host owns the data folder. */
  sweep(): Promise<void>
}

export type OverlayFolder = { root: string; base: ToolOperations }

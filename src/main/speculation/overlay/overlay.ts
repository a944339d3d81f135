import type { ToolOperations } from '../../tools/tool-operations.ts'

/**
 * The change set id of what was written to an overlay: there is none to take back. Whatever notes change sets
 * passes an empty id over.
 */
export const overlayChangeSetId = ''

/**
 * What became of one file in an overlay.
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

/**
 * A folder as it would be: what tools write stays in private files, what they read is the real folder with these
 * on top. Nothing in the folder is touched, and nobody but this host sees where the private files lie.
 *
 * Shape: all paths are real project paths, as the operations below give them.
 */
export type Overlay = {
  readonly overlayId: string
  /**
   * What tools work on. `execute` runs read-only commands as long as nothing was written, and any command in a copy
   * of the folder, where what it changes comes into this overlay.
   *
   * Errors: as the operations below; `command/not-read-only` for any other command.
   */
  readonly operations: ToolOperations
  /** True from the first write on, of this layer or of one below: what is on the disk is not what tools see. */
  readonly hasWrites: boolean
  /**
   * The net result in the order of paths: files whose bytes are as before are not among them.
   *
   * Errors: `speculation/files-gone` where a private file is gone or was changed by somebody: nothing of it may be applied.
   */
  files(): Promise<OverlayFile[]>
  /**
   * What was read and not changed: path → hash at the first read. A file counts as read where a search showed
   * lines of it; the hash is empty where it was gone before it could be taken.
   */
  reads(): ReadonlyMap<string, string>
  /** Files that changed since a command ran in a copy, which may have read them. Shape: the first of many. */
  staleForCommands(): Promise<string[]>
  /**
   * A layer on top of this one as it is now, for a chained run: it sees this one's content, its own changes and
   * hashes are against it. It stays when this one is discarded.
   */
  stack(): Promise<Overlay>
  /** Writes what this layer has into the folder, by `write`: commands of layers above it run before or after that. */
  takeIn<T>(write: () => Promise<T>): Promise<T>
  /** From now on everything goes to the operations below, as soon as running calls have finished. */
  release(): void
  /** Stops what runs and removes the private files. What is called afterwards and was not released fails. */
  discard(): Promise<void>
}

/** The overlays of this host. */
export type Overlays = {
  /**
   * Opens an empty overlay of a folder.
   *
   * Shape: `root` is the folder's real path, `base` its real operations. Errors: `file/disk-full`, `file/denied`.
   */
  open(folder: OverlayFolder): Promise<Overlay>
  /** Removes what hosts that are gone have left; to be called once, while this host owns the data folder. */
  sweep(): Promise<void>
}

export type OverlayFolder = { root: string; base: ToolOperations }

import type { CommandEnding } from '../../shared/domain/session/tool-result.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { CommandChanges } from '../sandbox/changes/command-changes.ts'
import type { CopyEffects } from '../sandbox/changes/read-copy.ts'
import type { SandboxedEnd } from '../sandbox/command-sandbox.ts'
import type { CopyLayer } from '../sandbox/layer-copy.ts'
import type { ChangeSetEntry } from '../store/works/change-set-repository.ts'
import type { CommitHooks } from '../workspace/apply-change-set.ts'
import type { FileChange } from '../workspace/change-plan.ts'
import type { RanCommand } from './edits/effects-call.ts'

/** Bytes of a file as they are now, unsaved text of an open document included. Shape: `path` is the real one. */
export type FileContent = { path: string; bytes: Uint8Array; hash: string }

/**
 * A path with its links resolved. Shape: `missing` are the names at its end that do not exist yet; `sizeBytes` of a
 * file; `isLink`: the last name as written is a link, `path` is its target. `root` is the added folder that holds the
 * path, absent in the session's own folder.
 */
export type FoundPath = {
  path: string
  kind: 'file' | 'folder' | 'other' | 'none'
  sizeBytes: number | null
  missing: string[]
  isLink: boolean
  root?: string
}

export type FolderEntry = {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  sizeBytes: number | null
}

/** Units: lines from 1. `text` is the line as decoded, cut where it is very long. */
export type GrepMatch = { path: string; line: number; text: string; isContext: boolean }

export type GrepFinding = { matches: GrepMatch[]; isCut: boolean; problem: string | null }

export type GrepQuery = {
  pattern: string
  isLiteral: boolean
  ignoreCase: boolean
  /** A folder or file to search in; `.` for all. */
  path: string
  /** Only files that this glob names. */
  glob: string | null
  contextLines: number
  limit: number
}

export type CommandRequest = {
  line: string
  /** Relative to the folder; absolute in an added one. */
  folder: string
  timeoutMs: number
  isBackground: boolean
  /** True for a command that passed the read-only check and runs hardened. */
  isReadOnly: boolean
  /** True for a command that runs sandboxed in a copy of the folder; where that is not possible it does not run. */
  isSandboxed?: boolean
  /** For a command in a copy: the layer over the folder's files. The command's changes are then not applied. */
  over?: CopyLayer
  /** Runs instead of a read-only line: the same line with each of its patterns written out as names. */
  literal?: string
}

export type CommandOutcome = {
  commandId: string
  end: 'exited' | 'timeout' | 'stopped' | 'background' | 'failed-to-start'
  exitCode: number | null
  signal: string | null
  output: string
  totalBytes: number
  isCut: boolean
  durationMs: number
  /** Why it could not be started. */
  failure?: ErrorInfo | null
  /** Of a command that ran in a copy. */
  sandboxed?: SandboxedEnd
  /**
   * The copy of a command that ran in one with a layer. Shape: `effects` null where none of them may be kept. Units:
   * nanoseconds since 1970, by the clock of the disk.
   */
  copy?: { effects: CopyEffects | null; beganAtNs: bigint; remove(): Promise<void> }
  /** Of a command in a speculation: what it changed is in the overlay. */
  kept?: CopiedChanges
  /** The command left nothing that may be kept: its call must be made again when the speculation is accepted. */
  isLeftOpen?: true
  /** Resolves when a command in the background ends, in whatever way. Never rejects. */
  ended?: Promise<CommandEnding>
}

/**
 * The changes that a command made in a copy of the folder, as they were added to the overlay.
 *
 * Shape: `mode` where a file gets other permissions, or is new; `ignored` counts files by their topmost ignored folder.
 */
export type CopiedChanges = {
  files: { path: string; oldBytes: Uint8Array | null; newBytes: Uint8Array | null; mode: number | null }[]
  ignored: { top: string; files: number; sizeBytes: number }[]
  left: { path: string }[]
}

/**
 * Files and commands as a tool sees them: one folder, real project paths, `/` between names. Folders that the user
 * added to the session have absolute paths.
 *
 * The real workspace is one implementation, an overlay another: a tool never knows which.
 * `lookups` is for work on many paths: parts that the paths have in common are looked up once; an implementation may
 * leave it unused.
 * Errors: `file/…`; `file/outside` for what is not really inside.
 */
export type ToolOperations = {
  /** Resolves links without opening a file. The folder itself is `.`. Errors: `file/outside`, `file/bad-name`. */
  locate(path: string, lookups?: SharedLookups): Promise<FoundPath>
  /**
   * Units: bytes; a file above `limitBytes` is refused unread.
   * Errors: `file/not-found`, `file/too-large`, `file/denied`, `file/outside`, `file/failed` for no regular file.
   */
  read(path: string, limitBytes: number, lookups?: SharedLookups): Promise<FileContent>
  /** Returns a text that changes where the file's content may have changed; does not read it. Errors: as `read`. */
  stamp(path: string, lookups?: SharedLookups): Promise<string>
  /**
   * Folders first, in natural order; of more than `limitListed` entries only some. `isNamesOnly`: sizes need not be
   * known. Errors: as `read`.
   */
  list(path: string, options?: { isNamesOnly?: boolean; lookups?: SharedLookups }): Promise<FolderEntry[]>
  /** Paths of files, ignore files respected, in natural order. */
  glob(pattern: string, limit: number, signal: AbortSignal): Promise<{ paths: string[]; isCut: boolean }>
  /**
   * Returns matches in the order of paths and lines; without `isSearched` all files are searched. `problem`: why the
   * pattern is not valid, in the words of the search program.
   */
  grep(query: GrepQuery, signal: AbortSignal, isSearched?: (path: string) => boolean): Promise<GrepFinding>
  /**
   * Applies all changes or none, checked against the base hashes, undoable. `entries` are folders and links, all of the
   * same folder of the session. `also` notes the change set in the store.
   */
  apply(
    changes: readonly FileChange[],
    note: string,
    entries?: readonly ChangeSetEntry[],
    also?: CommitHooks,
  ): Promise<{ changeSetId: string; conflicts: string[] }>
  execute(
    command: CommandRequest,
    onOutput: (text: string) => void,
    signal: AbortSignal,
  ): Promise<CommandOutcome>
  /**
   * Returns the command of a call about whose changes the user was asked when an earlier host ended; null where there is
   * none, or its copy is gone.
   */
  askedRun(callId: string): Promise<(RanCommand & { commandChanges: CommandChanges }) | null>
  /** Output of a command since an offset; null for an unknown id. Units: bytes. `isInCopy`: it ran in a copy. */
  commandOutput(
    commandId: string,
    sinceBytes: number,
  ): {
    output: string
    nextBytes: number
    isRunning: boolean
    exitCode: number | null
    isInCopy?: boolean
  } | null
  /** False for an unknown id. */
  stopCommand(commandId: string): Promise<boolean>
}

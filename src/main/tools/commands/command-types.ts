import type { ErrorInfo } from '../../../shared/errors.ts'
import type { Wall } from '../../sandbox/wall.ts'
import type { CommandOutcome } from '../tool-operations.ts'
import type { ProcessEnv } from './environment/clean-environment.ts'

/** A line to run. Units: milliseconds; bytes. */
export type CommandRun = {
  /** Whose it is: a session. It ends with its owner. */
  ownerId: string
  line: string
  /** Absolute. */
  cwd: string
  /** Where given, `cwd` must really lie in this folder. */
  root?: string
  /** Folders of the session besides: where the line only reads, no program of theirs is run. */
  folders?: readonly string[]
  /** Within `commandTimeouts`; a background command has no end of time. */
  timeoutMs?: number
  /** How much of the output is kept, 1 MB unless told. */
  limitBytes?: number
  isBackground?: boolean
  /** Runs hardened, and only where the read-only check passes, by the line and by the folder's configuration. */
  isReadOnly?: boolean
  /** What is run for `line` where it only reads: its patterns written out, as they were checked. */
  literal?: string
  /** Instead of the user's login environment; secrets in it are the caller's affair. */
  environment?: ProcessEnv
  /** Runs behind it: its program is started, and starts the shell. */
  wall?: Wall
}

export type CommandHooks = {
  /** Coalesced and bounded, for looking on; not after the result. */
  onOutput?: (text: string) => void
  /** Ends the command, also a background one as long as its start is waited for. */
  signal: AbortSignal
}

/**
 * What became of a command.
 *
 * Shape: `output` is plain text, both outputs in their order, its beginning and its end where it was cut;
 * `totalBytes` counts that text before the cut. `failure` says why it could not be started, else null.
 * `hasLeftProcesses`: the line ended before what it had started, which was ended with it.
 */
export type CommandResult = CommandOutcome & { failure: ErrorInfo | null; hasLeftProcesses: boolean }

/** A command that can be asked about. Shape: `end` and `exitCode` are null while it runs. */
export type CommandStatus = {
  commandId: string
  ownerId: string
  line: string
  cwd: string
  startedAt: number
  isBackground: boolean
  isRunning: boolean
  end: 'exited' | 'timeout' | 'stopped' | null
  exitCode: number | null
  signal: string | null
  totalBytes: number
}

/** Output of a command since an offset. Units: bytes of the plain text; `nextBytes` is where the next one begins. */
export type CommandOutput = CommandStatus & {
  output: string
  nextBytes: number
  /** Asked for, but cut away. */
  skippedBytes: number
}

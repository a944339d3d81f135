import type { ErrorInfo } from '../../../shared/errors.ts'
import type { Wall } from '../../sandbox/wall.ts'
import type { CommandOutcome } from '../tool-operations.ts'
import type { ProcessEnv } from './environment/clean-environment.ts'

/**
 * Time limits of a command in the foreground: the default and the maximum.
 *
 * Units: ms. Source: `run_command` declares them to models, and the runner applies them.
 */
export const commandTimeouts = { defaultMs: 120_000, limitMs: 600_000 } as const

/**
 * Limits of a line that only reads, which runs without consent: above either it is stopped.
 *
 * Units: ms; bytes of its output.
 */
export const readOnlyLimits = { timeoutMs: 60_000, outputBytes: 10_000_000 } as const

/** A line to run. Units: milliseconds; bytes. */
export type CommandRun = {
  /** The session that owns the command, which ends with its owner. */
  ownerId: string
  line: string
  /** Absolute. */
  cwd: string
  /** If given, `cwd` must really lie in this folder. */
  root?: string
  /** Other folders of the session: a line that only reads runs no program in them. */
  folders?: readonly string[]
  /** Within `commandTimeouts`; a background command has no time limit. */
  timeoutMs?: number
  /** How much of the output is kept; 1 MB by default. */
  limitBytes?: number
  isBackground?: boolean
  /** Runs hardened, and only where the read-only check passes, by the line and by the folder's configuration. */
  isReadOnly?: boolean
  /** Runs instead of a `line` that only reads: the line with its patterns written out, as they were checked. */
  literal?: string
  /** Replaces the user's login environment; the caller must remove secrets from it. */
  environment?: ProcessEnv
  /** The sandbox in which the command runs: its program is started, and starts the shell. */
  wall?: Wall
}

export type CommandHooks = {
  /** Gets the output in joined and bounded pieces, for display; not called after the result. */
  onOutput?: (text: string) => void
  /** Ends the command; one in the background only while its start is waited for. */
  signal: AbortSignal
}

/**
 * The result of a command.
 *
 * Shape: `output` is plain text, both outputs in their order, its beginning and its end where it was cut;
 * `totalBytes` counts that text before the cut. `failure` says why it could not be started, else null.
 * `hasLeftProcesses`: the line ended before processes that it had started; they were ended with it.
 */
export type CommandResult = CommandOutcome & { failure: ErrorInfo | null; hasLeftProcesses: boolean }

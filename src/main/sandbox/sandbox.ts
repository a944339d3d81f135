import type { SandboxStatus } from '../../shared/domain/session/sandbox.ts'
import type { CopyLayer } from './layer-copy.ts'
import type { Wall } from './wall.ts'

/** A run to be walled in. Shape: absolute real paths; `masked` relative to `project`. */
export type SandboxRequest = {
  /** Names the run's folder: a host's random id. */
  runId: string
  project: string
  cwd: string
  masked: readonly string[]
  /** Folders that were added to the session: read-only inside. */
  added: readonly string[]
  /** The command's environment: its search path says what is shown. */
  environment: Readonly<Record<string, string>>
  limitBytes: number
  limitProcesses?: number
  /** What the command sees instead of files of the project; `upper` holds it too. */
  over?: CopyLayer
}

/** A prepared run. Shape: `folder` holds `upper`, which is what the command changed. */
export type SandboxRun = {
  readonly runId: string
  readonly folder: string
  readonly project: string
  readonly wall: Wall
  readonly environment: Record<string, string>
  /** Files changed at or after this were changed while the command ran. Units: nanoseconds since 1970. */
  readonly beganAtNs: bigint
  /** What runs a program in the merged folder once the command has ended. */
  readonly merged: Wall
}

/**
 * The wall around commands of this machine.
 *
 * `status` is *none* unless every part of the trial passed; nothing is run behind a wall then. `begin` makes the
 * folders of a run, `remove` takes them away.
 */
export type Sandbox = {
  /** The trial at first use; later the kept answer. */
  status(): Promise<SandboxStatus>
  /** Tries again, whatever is kept. */
  recheck(): Promise<SandboxStatus>
  /** Errors: `file/…` where the folders cannot be made. */
  begin(request: SandboxRequest): Promise<SandboxRun>
  /** A run of which nothing is needed any more. */
  remove(runId: string): Promise<void>
  /** Ids of runs whose folders are there, also of earlier hosts. */
  kept(): Promise<string[]>
  /** The same run for a later host: what it changed is in its folder. */
  reopen(run: { runId: string; project: string; beganAtNs: bigint }): SandboxRun
}

/** For systems without a wall: macOS and Windows. */
export function noSandbox(platform: string): Sandbox {
  const status = async (): Promise<SandboxStatus> => ({ kind: 'none', part: 'system', detail: platform })
  const never = (): never => {
    throw new Error('no sandbox on this system')
  }
  return {
    status,
    recheck: status,
    begin: async () => never(),
    remove: async () => undefined,
    kept: async () => [],
    reopen: never,
  }
}

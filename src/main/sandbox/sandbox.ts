import type { SandboxStatus } from '../../shared/domain/session/sandbox.ts'
import type { CopyLayer } from './layer-copy.ts'
import type { Wall } from './wall.ts'

/** A run to be sandboxed. Shape: absolute real paths; `masked` relative to `project`, `maskedOutside` absolute. */
export type SandboxRequest = {
  /** A random id of this host; also the name of the run's folder. */
  runId: string
  project: string
  cwd: string
  masked: readonly string[]
  /** Folders of the project that are hidden as a whole. Shape: as `masked`. */
  maskedFolders?: readonly string[]
  /** Secrets of the added folders. */
  maskedOutside?: readonly string[]
  /** Folders that were added to the session: read-only inside. */
  added: readonly string[]
  /** The command's environment: its search path decides which folders are visible. */
  environment: Readonly<Record<string, string>>
  limitBytes: number
  limitProcesses?: number
  /** The layer that the command sees over the files of the project; `upper` holds it, too. */
  over?: CopyLayer
}

/** A prepared run. Shape: `folder` contains `upper`, the folder with the command's changes. */
export type SandboxRun = {
  readonly runId: string
  readonly folder: string
  readonly project: string
  /** The private home of the project's commands. */
  readonly privateHome: string
  readonly wall: Wall
  readonly environment: Record<string, string>
  /** Files changed at or after this were changed while the command ran. Units: nanoseconds since 1970. */
  readonly beganAtNs: bigint
  /** Runs a program in the merged folder after the command has ended. */
  readonly merged: Wall
}

/** The parts of a run that are needed to read what its command changed. */
export type EndedRun = Pick<SandboxRun, 'runId' | 'folder' | 'project' | 'beganAtNs' | 'merged'>

/**
 * The sandbox for commands on this machine.
 *
 * `status` is *none* unless every part of the trial passed; then no command is run in the sandbox. `begin` creates the
 * folders of a run, `remove` removes them.
 */
export type Sandbox = {
  /** Runs the trial at first use; later returns the stored answer. */
  status(): Promise<SandboxStatus>
  /** Runs the trial again, regardless of the stored answer. */
  recheck(): Promise<SandboxStatus>
  /** False for a folder of which no copy is made: one that holds the user's home or the app's data. */
  mayCopy(project: string): boolean
  /** Errors: `file/…` where the folders cannot be made. */
  begin(request: SandboxRequest): Promise<SandboxRun>
  /** Opens the run of an earlier host and runs nothing; null where its folder, or a program to read it, is gone. */
  reopen(run: Pick<EndedRun, 'runId' | 'project' | 'beganAtNs'>): Promise<EndedRun | null>
  /** Removes a run that is not needed any more. */
  remove(runId: string): Promise<void>
  /** Returns the ids of runs whose folders exist, also of earlier hosts. */
  kept(): Promise<string[]>
}

/** Returns the sandbox of systems that offer none: macOS and Windows. */
export function noSandbox(platform: string): Sandbox {
  const status = async (): Promise<SandboxStatus> => ({ kind: 'none', part: 'system', detail: platform })
  const never = (): never => {
    throw new Error('no sandbox on this system')
  }
  return {
    status,
    recheck: status,
    mayCopy: () => false,
    begin: async () => never(),
    reopen: async () => null,
    remove: async () => undefined,
    kept: async () => [],
  }
}

import type { Run } from '../../shared/domain/drafting/run.ts'
import type { Offer } from '../api/app-api.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { StarterService, StarterWish } from '../starter/starter-service.ts'

export type AppOptions = {
  version: string
  /** Path from the command line, to be opened by the first window. */
  openPath: string | null
  /** True where `deps.locale` is what the user asked for on the command line. */
  isLocaleChosen?: boolean
  /** Absent: Node's own. Tests pass one that fails. */
  disk?: Disk
}

/** The whole product without a window: what a host offers over its pipe, and how it ends. */
export type App = {
  /** Loaded with the first window, or by `begin`. */
  load(): Promise<Offer>
  /** A window is coming: loads what it asks for first while its page is loading. Its requests report failures. */
  expectWindow(): void
  starter: Pick<StarterService, 'watch'>
  /** Tells the windows to open a folder or file that another start was given. */
  handOver(path: string): void
  /** True while something is not on disk yet. */
  hasUnsavedWork(): boolean
  /** Waits for the last save of every document. */
  flush(): Promise<void>
  /**
   * Begins work that no window waits for, once a window can be opened: checks the chosen model (where none is chosen
   * and none is found on this machine, begins with the starter model according to `starter`), and removes what
   * earlier starts left behind. A failure is logged as a bug.
   */
  begin(starter: StarterWish): void
  /** Called when a run starts and when it has ended. */
  onRun(listener: (run: Run) => void): void
  /** Stops runs, saves documents, ends children, closes the store. */
  close(): Promise<void>
}

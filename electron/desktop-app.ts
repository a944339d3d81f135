import type { Api } from '../src/shared/contract/index.ts'
import type { Contract } from '../src/shared/contract/method.ts'
import type { Activity, Finished } from './long-work.ts'
import type { MenuCommand } from './menu-command.ts'

/** What the shell needs of the app that it hosts. */
export type DesktopApp = {
  api: Api
  contract: Contract
  /** Opens a folder or file in the window that is there, or in the next one. */
  handOver(path: string): void
  /** Lets the window do what its own menu entry says. */
  command(command: MenuCommand): void
  hasUnsavedWork(): boolean
  flush(): Promise<void>
  close(): Promise<void>
  watchActivity(listener: (activity: Activity, finished: Finished | null) => void): void
}

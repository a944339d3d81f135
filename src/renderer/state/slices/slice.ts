import type { Client } from '../../../shared/contract/index.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { ManuscriptEditor } from '../../editor/editor-types.ts'
import type { AppState } from '../app-state.ts'
import type { WindowMemory } from '../window-memory.ts'
import type { Follow } from './follow.ts'

export type SliceContext = {
  client: Client
  follow: Follow
  memory: WindowMemory
  /** Of this tab alone: a reload has it, another window has not. */
  tabMemory: WindowMemory
  now: () => number
  /** The manuscript editor while it is in the page; it holds all text and carets. */
  editor: { current: ManuscriptEditor | null }
  get(): AppState
  /** Puts `part` into one slice; everything else stays the same object. */
  patch<K extends keyof AppState>(name: K, part: Partial<AppState[K]>): void
  /** Shows a failure as a toast. A failure with the code `except` is told elsewhere. */
  tell(error: unknown, except?: ErrorInfo['code']): void
  /** Runs a task; null where it failed, which the user is told. */
  attempt<T>(task: () => Promise<T>): Promise<T | null>
  /** The same for the open work; null also where none is open. */
  inWork<T>(task: (workId: string) => Promise<T>): Promise<T | null>
}

import type { MessageKey } from '../../../shared/i18n/translate.ts'
import type { AppState } from '../app-state.ts'
import type { AppStore } from '../app-store.ts'

/**
 * Something that the author can ask for by key or by name.
 *
 * Shape: `keys` as they are printed, the last one is the key itself. `scope: 'editor'`: the editor hears the
 * keys while it has the focus; elsewhere they do nothing. `desktopKeys` come first where no browser needs them.
 */
export type Command = {
  id: string
  title: MessageKey
  keys?: readonly string[]
  desktopKeys?: readonly string[]
  /** Another key for the same; not printed. */
  otherKeys?: readonly string[]
  scope?: 'editor'
  isEnabled: (state: AppState) => boolean
  run: (store: AppStore) => void
}

/** Starts and stops endless generation; in a browser F5 loads the page anew. */
export function endlessKeys(host: { kind: 'web' | 'electron' } | null): readonly string[] {
  return host?.kind === 'electron' ? ['F5'] : ['Ctrl', 'Shift', 'G']
}

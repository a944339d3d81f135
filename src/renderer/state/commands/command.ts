import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import type { AppState } from '../app-state.ts'
import type { AppStore } from '../app-store.ts'
import type { DialogView } from '../slices/ui-slice.ts'

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
  /** Keys on a Mac, where Option moves in the text. */
  macKeys?: readonly string[]
  /** Further keys for the same; not printed. */
  otherKeys?: readonly (readonly string[])[]
  /** The name under which its keys are chosen; absent: `id`. */
  binding?: string
  scope?: 'editor'
  isEnabled: (state: AppState) => boolean
  run: (store: AppStore) => void
}

/** Makes a command. Shape: `keys` with spaces between them: `Ctrl Shift F`. */
export function action(
  id: string,
  title: MessageKey,
  isEnabled: Command['isEnabled'],
  act: (state: AppState, store: AppStore) => unknown,
  keys?: string,
): Command {
  const run: Command['run'] = (store) => void act(store.getState(), store)
  return { id, title, isEnabled, run, ...(keys !== undefined && { keys: keys.split(' ') }) }
}

export function opening(
  id: string,
  title: MessageKey,
  isEnabled: Command['isEnabled'],
  dialog: DialogView,
  keys?: string,
): Command {
  return action(id, title, isEnabled, ({ ui }) => ui.open(dialog), keys)
}

export const picker = (purpose: PickPurpose): DialogView => ({ kind: 'picker', purpose })

export const always = () => true
export const hasWork = (state: AppState) => state.work.current !== null

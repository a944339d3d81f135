import { chordOf, isPressed, type KeyPress } from '../../../shared/text/key-press.ts'
import type { AppState } from '../app-state.ts'
import type { Command } from './command.ts'

/** The state on which the keys of a command depend. */
type KeyState = Pick<AppState, 'connection' | 'settings'>
type HostKind = 'web' | 'electron'

const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform)

export function hostKind(state: Pick<AppState, 'connection'>): HostKind {
  return state.connection.host?.kind ?? 'web'
}

/** Returns the name under which a command's keys are chosen; commands with the same keys share a name. */
export function bindingOf(command: Command): string {
  return command.binding ?? command.id
}

/** Returns the keys that a command has where the user has chosen no others. */
export function defaultKeys(command: Command, host: HostKind): readonly string[] | undefined {
  if (isMac && command.macKeys) return command.macKeys
  return (host === 'electron' ? command.desktopKeys : undefined) ?? command.keys
}

/** Returns the keys of a command as they are printed and heard in this host; undefined: none. */
export function keysOf(command: Command, state: KeyState): readonly string[] | undefined {
  const chosen = state.settings.value.shortcuts[hostKind(state)][bindingOf(command)]
  if (chosen === undefined) return defaultKeys(command, hostKind(state))
  return chosen.length === 0 ? undefined : chosen
}

/** True where a press asks for a command: by its keys, or by its further keys if its keys were not changed. */
export function isHeard(command: Command, press: KeyPress, state: KeyState): boolean {
  const keys = keysOf(command, state)
  if (keys !== undefined && isPressed(keys, press)) return true
  const isChanged = state.settings.value.shortcuts[hostKind(state)][bindingOf(command)] !== undefined
  return !isChanged && (command.otherKeys?.some((other) => isPressed(other, press)) ?? false)
}

/** Commands that the editor hears at an offer, or the desktop's own menu, with these keys and no others. */
const fixed: Record<HostKind, ReadonlySet<string>> = {
  web: new Set(['draft.retry', 'session.stop']),
  electron: new Set([
    'draft.retry',
    'session.stop',
    'draft.start',
    'file.save',
    'palette',
    'settings',
    'work.open',
  ]),
}

/** True where the keys of a command can be chosen in this host. */
export function canChoose(command: Command, host: HostKind): boolean {
  return command.scope !== 'editor' && !fixed[host].has(command.id)
}

/** Returns the command that already has these keys, besides those of the same name. */
export function ownerOf(
  commands: readonly Command[],
  keys: readonly string[],
  binding: string,
  state: KeyState,
): Command | undefined {
  const chord = chordOf(keys)
  return commands.find((command) => {
    const own = keysOf(command, state)
    return own !== undefined && bindingOf(command) !== binding && chordOf(own) === chord
  })
}

const chords = (...texts: string[]) => new Set(texts.map((text) => chordOf(text.split(' '))))

/** Keys that no page gets. Source: Chrome's `IsReservedCommandOrKey`, Firefox's `reserved="true"` keys. */
const keptByBrowser = chords(
  'Ctrl N',
  'Ctrl T',
  'Ctrl W',
  'Ctrl Q',
  'Ctrl Shift N',
  'Ctrl Shift T',
  'Ctrl Shift W',
  'Ctrl Shift Q',
  'Ctrl Shift P',
  'Ctrl Tab',
  'Ctrl Shift Tab',
  'Ctrl PageUp',
  'Ctrl PageDown',
  'Alt F4',
)

/** Keys that a page may take from the browser, which then does not act on them. */
const usedByBrowser = chords(
  ...['R', 'L', 'D', 'H', 'J', 'K', 'U', 'E', 'P', 'G', 'B', 'I'].map((key) => `Ctrl ${key}`),
  ...['A', 'B', 'C', 'D', 'E', 'G', 'I', 'J', 'K', 'M', 'O', 'R', 'S', 'Y'].map((key) => `Ctrl Shift ${key}`),
  ...['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '+', '-'].map((key) => `Ctrl ${key}`),
  ...['F1', 'F3', 'F5', 'F6', 'F7', 'F10', 'F11', 'F12'],
  ...['Ctrl F5', 'Shift F5', 'Alt Home', 'Alt D', 'Alt E', 'Alt F', 'Ctrl S', 'Ctrl F', 'Ctrl O'],
  ...['Alt ←', 'Alt →', 'Ctrl Shift H'],
)

const usedByText = chords(
  ...['A', 'C', 'V', 'X', 'Z', 'Y', '←', '→', '↑', '↓', 'Home', 'End', 'Backspace', 'Delete'].map(
    (key) => `Ctrl ${key}`,
  ),
  ...['V', 'Z', '←', '→'].map((key) => `Ctrl Shift ${key}`),
  ...['Esc', 'Shift Tab', 'Shift Enter'],
)

export type KeyTrouble = 'kept-by-browser' | 'used-by-browser' | 'used-by-text' | 'plain'

/** Returns the objection to keys for a command; null: none. Only `used-by-browser` can be overruled. */
export function troubleOf(keys: readonly string[], host: HostKind): KeyTrouble | null {
  const chord = chordOf(keys)
  if (usedByText.has(chord)) return 'used-by-text'
  const isHeld = keys.includes('Ctrl') || keys.includes('Alt')
  if (!isHeld && !/^F\d{1,2}$/.test(keys.at(-1) ?? '')) return 'plain'
  if (host === 'electron') return null
  if (keptByBrowser.has(chord)) return 'kept-by-browser'
  return usedByBrowser.has(chord) ? 'used-by-browser' : null
}

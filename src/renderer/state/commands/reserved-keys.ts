import { chordOf } from '../../../shared/text/key-press.ts'

const chords = (...texts: string[]) => new Set(texts.map((text) => chordOf(text.split(' '))))

/**
 * Keys that a browser gives to no page.
 *
 * Source: Chrome's reserved commands (`IsReservedCommandOrKey`), Firefox's `reserved="true"` keys.
 */
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

/** Keys of every text field. */
const usedByText = chords(
  ...['A', 'C', 'V', 'X', 'Z', 'Y', '←', '→', '↑', '↓', 'Home', 'End', 'Backspace', 'Delete'].map(
    (key) => `Ctrl ${key}`,
  ),
  ...['V', 'Z', '←', '→'].map((key) => `Ctrl Shift ${key}`),
  ...['Esc', 'Shift Tab', 'Shift Enter'],
)

export type KeyTrouble = 'kept-by-browser' | 'used-by-browser' | 'used-by-text' | 'plain'

/** Returns the objection to keys for a command; null: none. Only `used-by-browser` can be overruled. */
export function troubleOf(keys: readonly string[], host: 'web' | 'electron'): KeyTrouble | null {
  const chord = chordOf(keys)
  if (usedByText.has(chord)) return 'used-by-text'
  const isHeld = keys.includes('Ctrl') || keys.includes('Alt')
  if (!isHeld && !/^F\d{1,2}$/.test(keys.at(-1) ?? '')) return 'plain'
  if (host === 'electron') return null
  if (keptByBrowser.has(chord)) return 'kept-by-browser'
  return usedByBrowser.has(chord) ? 'used-by-browser' : null
}

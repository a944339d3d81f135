/** A key press, with the fields of a browser's event. */
export type KeyPress = {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
}

const named: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  ' ': 'Space',
}
/** The key codes of the brackets, for keyboards that type something else with Alt, as a Mac's does. */
const bracketCodes: Readonly<Record<string, string>> = { '[': 'BracketLeft', ']': 'BracketRight' }
const modifiers = new Set([
  'Control',
  'Meta',
  'Shift',
  'Alt',
  'AltGraph',
  'CapsLock',
  'Fn',
  'Dead',
  'Process',
])

/** Returns true where `press` is the combination `keys`; on a Mac, Cmd counts as Ctrl. */
export function isPressed(keys: readonly string[], press: KeyPress): boolean {
  const key = keys.at(-1) ?? ''
  const hit =
    (named[press.key] ?? press.key).toLowerCase() === key.toLowerCase() ||
    press.code === `Key${key}` ||
    press.code === `Digit${key}` ||
    // On other keyboards the key with this label may be in another place.
    (press.altKey && bracketCodes[press.key] === undefined && bracketCodes[key] === press.code)
  return (
    hit &&
    keys.includes('Ctrl') === (press.ctrlKey || press.metaKey) &&
    keys.includes('Shift') === press.shiftKey &&
    keys.includes('Alt') === press.altKey
  )
}

/** Returns the labels of the keys of a press; null while only modifiers are held. */
export function keysOfPress(press: KeyPress): string[] | null {
  if (modifiers.has(press.key)) return null
  const byPlace = /^(?:Key|Digit)(.)$/.exec(press.code)?.[1]
  const key = byPlace ?? named[press.key] ?? (press.key.length === 1 ? press.key.toUpperCase() : press.key)
  return [
    ...(press.ctrlKey || press.metaKey ? ['Ctrl'] : []),
    ...(press.altKey ? ['Alt'] : []),
    ...(press.shiftKey ? ['Shift'] : []),
    key,
  ]
}

/** Returns the same text for the same keys in any order of their modifiers. */
export function chordOf(keys: readonly string[]): string {
  return [...keys.slice(0, -1).toSorted(), (keys.at(-1) ?? '').toUpperCase()].join('+')
}

/** A key that was pressed, as a browser tells it. */
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
/** Where the brackets lie on a keyboard that writes something else with Alt, as a Mac's does. */
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

/** True where `press` is `keys`; on a Mac, Cmd counts as Ctrl. */
export function isPressed(keys: readonly string[], press: KeyPress): boolean {
  const key = keys.at(-1) ?? ''
  const hit =
    (named[press.key] ?? press.key).toLowerCase() === key.toLowerCase() ||
    press.code === `Key${key}` ||
    press.code === `Digit${key}` ||
    // Elsewhere the key that is printed so may lie in another place.
    (press.altKey && bracketCodes[press.key] === undefined && bracketCodes[key] === press.code)
  return (
    hit &&
    keys.includes('Ctrl') === (press.ctrlKey || press.metaKey) &&
    keys.includes('Shift') === press.shiftKey &&
    keys.includes('Alt') === press.altKey
  )
}

/** The keys of a press as they are printed; null while only modifiers are held. */
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

/** One text for the same keys in any order of their modifiers. */
export function chordOf(keys: readonly string[]): string {
  return [...keys.slice(0, -1).toSorted(), (keys.at(-1) ?? '').toUpperCase()].join('+')
}

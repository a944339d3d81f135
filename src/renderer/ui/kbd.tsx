import './kbd.css'

/** Keys to press, named as they are printed: `['Ctrl', 'Enter']`; without any, nothing. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  if (keys.length === 0) return null
  return <kbd className="kbd">{keys.join(' ')}</kbd>
}

import './kbd.css'

/** Keys to press, named as they are printed: `['Ctrl', 'Enter']`. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  return <kbd className="kbd">{keys.join(' ')}</kbd>
}

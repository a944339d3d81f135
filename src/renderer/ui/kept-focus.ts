import { type RefObject, useLayoutEffect, useState } from 'react'

/** Moves the focus of a row that goes away to a neighbour, or to the first button of its section. */
export function useKeptFocus(row: RefObject<HTMLLIElement | null>): void {
  useLayoutEffect(() => {
    const element = row.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      const neighbour = element.nextElementSibling ?? element.previousElementSibling
      const place =
        neighbour?.querySelector('button') ?? element.closest('section, nav')?.querySelector('button')
      place?.focus()
    }
  }, [row])
}

/** Returns the function that gives the focus back, at closing, to the element that had it as this was first shown. */
export function useOpener(): (event: Event) => void {
  const [opener] = useState(openerNow)
  return (event) => {
    // Radix would give it to its own trigger, and these dialogs have none.
    event.preventDefault()
    // An element that took the focus meanwhile keeps it: another dialog, or the place in the text that was gone to.
    if (document.activeElement !== null && document.activeElement !== document.body) return
    if (!opener?.isConnected) return
    opener.focus()
    // A row's button that is hidden by now is shown while the row has the focus.
    if (document.activeElement !== opener) opener.parentElement?.querySelector('button')?.focus()
  }
}

/** Returns the element that has the focus; for an item of a menu, which goes with it, the menu's button. */
function openerNow(): HTMLElement | null {
  const active = document.activeElement
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = button ? document.getElementById(button) : active
  return opener instanceof HTMLElement && opener !== document.body ? opener : null
}

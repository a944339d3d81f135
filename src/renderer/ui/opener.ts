import { useState } from 'react'

/** Answers with how to give the focus back to what had it as this was first shown, when it is closed. */
export function useOpener(): (event: Event) => void {
  const [opener] = useState(openerNow)
  return (event) => {
    // Radix would give it to its own trigger, and these dialogs have none.
    event.preventDefault()
    // What took the focus meanwhile keeps it: another dialog, or the place in the text that was gone to.
    if (document.activeElement !== null && document.activeElement !== document.body) return
    if (!opener?.isConnected) return
    opener.focus()
    // A row's button that is hidden by now is shown while the row has the focus.
    if (document.activeElement !== opener) opener.parentElement?.querySelector('button')?.focus()
  }
}

/** What is chosen from a menu leaves with it: its button stays. */
function openerNow(): HTMLElement | null {
  const active = document.activeElement
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = button ? document.getElementById(button) : active
  return opener instanceof HTMLElement && opener !== document.body ? opener : null
}

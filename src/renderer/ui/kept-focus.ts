import { type RefObject, useLayoutEffect } from 'react'

/**
 * Moves the focus of a row that goes away to the next row, or the one before, or the first button of its section: a
 * user who works by keyboard stays where he was.
 */
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

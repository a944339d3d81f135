import { type RefObject, useLayoutEffect } from 'react'

/**
 * Where a row that has the focus goes away, the next row takes it, or the one before, or what stands first in its
 * section: whoever works by keyboard stays where he was.
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

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Distance from its end within which a list counts as being at its end. Units: CSS pixels. */
export const endZone = 64

/**
 * Tells whether a scrolled list shows its end. Where something below takes room from the list, the end stays in sight.
 * `look` is called whenever something moved; it reads the page once a frame.
 */
export function useEnd(
  scroller: RefObject<HTMLElement | null>,
  toEnd: () => void,
): { isAtEnd: boolean; look: () => void } {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const wasAtEnd = useRef(true)
  const frame = useRef<number | null>(null)
  const scroll = useRef(toEnd)
  scroll.current = toEnd

  const look = useCallback(() => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null
      if (scroller.current === null) return
      const { scrollHeight, scrollTop, clientHeight } = scroller.current
      wasAtEnd.current = scrollHeight - scrollTop - clientHeight <= endZone
      setIsAtEnd(wasAtEnd.current)
    })
  }, [scroller])

  useEffect(() => {
    if (scroller.current === null) return
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current) scroll.current()
      look()
    })
    observer.observe(scroller.current)
    return () => {
      observer.disconnect()
      if (frame.current !== null) cancelAnimationFrame(frame.current)
      frame.current = null
    }
  }, [scroller, look])

  return { isAtEnd, look }
}

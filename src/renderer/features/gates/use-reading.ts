import { type RefObject, useEffect, useState } from 'react'
import type { GateView } from '../../../shared/domain/session/gate.ts'
import { gateKey } from '../../state/slices/session/gates-slice.ts'
import { useApp } from '../../state/store-context.tsx'
import { readingMs } from './gate-facts.ts'

/** Margin by which the gate must be within the view. Units: CSS pixels. */
const seenHeight = '-48px'

/**
 * True once the gate as it is now has been on the screen for the time that reading takes. The time begins when
 * it is painted within the view and nothing lies over it, not when it arrives; a gate that shows something else
 * begins anew.
 */
export function useReading(element: RefObject<HTMLElement | null>, gate: GateView): boolean {
  const { gateId } = gate
  const shown = gateKey(gate)
  const { gatePainted, sincePainted } = useApp((state) => state.conversation)
  const isCovered = useApp((state) => state.ui.dialog !== null)
  const [read, setRead] = useState<string | null>(null)

  useEffect(() => {
    if (element.current === null || isCovered) return
    let frame = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const painted = () => {
      gatePainted(gateId, shown)
      const since = sincePainted(gateId, performance.now()) ?? 0
      timer = setTimeout(() => setRead(shown), Math.max(0, readingMs - since))
    }
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return
        observer.disconnect()
        // The first frame paints it; at the second one it has been painted.
        frame = requestAnimationFrame(() => {
          frame = requestAnimationFrame(painted)
        })
      },
      { rootMargin: `0px 0px ${seenHeight} 0px` },
    )
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [element, isCovered, gateId, shown, gatePainted, sincePainted])

  return read === shown
}

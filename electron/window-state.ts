import type { Rectangle } from 'electron'

/**
 * How the window was left. `bounds` are those of the window when it is not maximised.
 *
 * Units: device-independent pixels, as Electron's `screen` gives them.
 */
export type WindowState = { bounds: Rectangle; isMaximized: boolean }

/** Where a window opens; without a position the system centres it. */
export type WindowPlace = { width: number; height: number; x?: number; y?: number }

export const smallestWindow = { width: 640, height: 480 }
const firstWindow = { width: 1280, height: 860 }
/** What must be on a screen for the window to be moved by hand: a part of its title bar. */
const grip = { width: 120, height: 32 }

/**
 * Finds a place for the window on the screens that there are now.
 *
 * Shape: the first of `workAreas` is the primary screen's. A window whose title bar can no longer be
 * gripped opens centred; one that is larger than its screen is made to fit.
 */
export function placeWindow(saved: Rectangle | undefined, workAreas: readonly Rectangle[]): WindowPlace {
  const area = saved && workAreas.find((candidate) => canGrip(saved, candidate))
  if (saved === undefined || area === undefined) return fitInto(firstWindow, workAreas[0])
  const size = fitInto(saved, area)
  return {
    ...size,
    x: clamp(saved.x, area.x - size.width + grip.width, area.x + area.width - grip.width),
    y: clamp(saved.y, area.y, area.y + area.height - grip.height),
  }
}

/** Reads what was stored; undefined for anything that is no window state. */
export function parseWindowState(text: string | undefined): WindowState | undefined {
  if (text === undefined) return undefined
  try {
    const { bounds, isMaximized } = JSON.parse(text)
    const { x, y, width, height } = bounds
    const isWhole = [x, y, width, height].every(Number.isSafeInteger) && typeof isMaximized === 'boolean'
    return isWhole ? { bounds: { x, y, width, height }, isMaximized } : undefined
  } catch {
    // A damaged file costs the window's place and nothing else; the next move writes a good one.
    return undefined
  }
}

function canGrip(bounds: Rectangle, area: Rectangle): boolean {
  const width = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x)
  const isTitleInside = bounds.y >= area.y - grip.height / 2 && bounds.y <= area.y + area.height - grip.height
  return width >= grip.width && isTitleInside
}

function fitInto(size: { width: number; height: number }, area: Rectangle | undefined): WindowPlace {
  if (area === undefined) return { width: size.width, height: size.height }
  return {
    width: Math.min(Math.max(size.width, smallestWindow.width), area.width),
    height: Math.min(Math.max(size.height, smallestWindow.height), area.height),
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}

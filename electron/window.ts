import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, Screen } from 'electron'
import type { Clock, Random } from '../src/main/deps.ts'
import { replaceFile, tempFileName } from '../src/main/platform/files/atomic-file.ts'
import { nodeDisk } from '../src/main/platform/files/disk.ts'

/** Remembers between two starts where the window was. */
export type WindowMemory = ReturnType<typeof createWindowMemory>

export function createWindowMemory(options: { dataDir: string; hostId: string; random: Random }) {
  const path = join(options.dataDir, 'window.json')
  return {
    read(): WindowState | undefined {
      try {
        return parseWindowState(readFileSync(path, 'utf8'))
      } catch {
        return undefined // The first start, or a file that cannot be read: the window opens where it may.
      }
    },
    write(state: WindowState): Promise<void> {
      const tempName = tempFileName(options.hostId, options.random)
      return replaceFile(nodeDisk, path, Buffer.from(JSON.stringify(state)), { tempName })
    },
  }
}

/** Returns the window's options: a page without Node, in a sandbox, that is shown when there is something to see. */
export function windowOptions(options: {
  state: WindowState | undefined
  screen: Pick<Screen, 'getPrimaryDisplay' | 'getAllDisplays'>
  preload: string
  isDark: boolean
}): BrowserWindowConstructorOptions {
  const { screen, state } = options
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id)
  return {
    ...placeWindow(
      state?.bounds,
      [primary, ...others].map((display) => display.workArea),
    ),
    minWidth: smallestWindow.width,
    minHeight: smallestWindow.height,
    show: false,
    title: 'Tsugi',
    // What is seen before the first paint; `--paper` of the window's `tokens.css`.
    backgroundColor: options.isDark ? '#1b1a18' : '#faf8f4',
    webPreferences: {
      preload: options.preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: true,
    },
  }
}

const settleMs = 500

/** Stores the window's place, some time after it was moved or sized and when it closes. */
export function rememberWindow(
  window: Pick<BrowserWindow, 'on' | 'getNormalBounds' | 'isMaximized' | 'isMinimized' | 'isDestroyed'>,
  memory: WindowMemory,
  clock: Clock,
  onFailed: (error: unknown) => void,
): void {
  let timer: { cancel(): void } | undefined

  function write(): void {
    timer?.cancel()
    timer = undefined
    if (window.isDestroyed() || window.isMinimized()) return
    memory
      .write({ bounds: window.getNormalBounds(), isMaximized: window.isMaximized() })
      .catch((error: unknown) => onFailed(error))
  }

  const later = () => {
    timer?.cancel()
    timer = clock.setTimeout(write, settleMs)
  }
  window.on('resize', later)
  window.on('move', later)
  window.on('maximize', later)
  window.on('unmaximize', later)
  window.on('close', write)
}

/**
 * Place and size of the window when it was closed last. `bounds` are those of the window when it is not maximised.
 *
 * Units: device-independent pixels, as Electron's `screen` gives them.
 */
export type WindowState = { bounds: Rectangle; isMaximized: boolean }

/** The size and position of a new window; without a position the system centres it. */
type WindowPlace = { width: number; height: number; x?: number; y?: number }

const smallestWindow = { width: 640, height: 480 }
const firstWindow = { width: 1280, height: 860 }
/** The part of the title bar that must be on a screen, so that the user can move the window. */
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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserWindow, BrowserWindowConstructorOptions, Screen } from 'electron'
import type { Clock, Random } from '../src/main/deps.ts'
import { replaceFile, tempFileName } from '../src/main/platform/files/atomic-file.ts'
import { nodeDisk } from '../src/main/platform/files/disk.ts'
import { parseWindowState, placeWindow, smallestWindow, type WindowState } from './window-state.ts'

/** Remembers between two starts where the window was. */
export type WindowMemory = {
  read(): WindowState | undefined
  write(state: WindowState): Promise<void>
}

export function createWindowMemory(options: {
  dataDir: string
  hostId: string
  random: Random
}): WindowMemory {
  const path = join(options.dataDir, 'window.json')
  return {
    read() {
      try {
        return parseWindowState(readFileSync(path, 'utf8'))
      } catch {
        return undefined // The first start, or a file that cannot be read: the window opens where it may.
      }
    },
    write(state) {
      const tempName = tempFileName(options.hostId, options.random)
      return replaceFile(nodeDisk, path, Buffer.from(JSON.stringify(state)), { tempName })
    },
  }
}

/** The window's options: a page without Node, in a sandbox, that is shown when there is something to see. */
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

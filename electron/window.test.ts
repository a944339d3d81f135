import { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserWindow, Display, Screen } from 'electron'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemRandom } from '../src/main/platform/random.ts'
import {
  createWindowMemory,
  parseWindowState,
  placeWindow,
  rememberWindow,
  type WindowState,
  windowOptions,
} from './window.ts'

const state: WindowState = { bounds: { x: 10, y: 20, width: 900, height: 700 }, isMaximized: true }

describe('createWindowMemory', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tsugi-window-'))
  })
  afterEach(() => rm(dataDir, { recursive: true }))
  const memory = () => createWindowMemory({ dataDir, hostId: 'a'.repeat(32), random: systemRandom })

  it('knows nothing at first, then what was written', async () => {
    expect(memory().read()).toBeUndefined()
    await memory().write(state)
    expect(memory().read()).toEqual(state)
  })

  it('forgets a damaged file', async () => {
    await writeFile(join(dataDir, 'window.json'), '{"bounds":{"x":')
    expect(memory().read()).toBeUndefined()
  })
})

describe('windowOptions', () => {
  const display = (id: number, x: number) =>
    ({ id, workArea: { x, y: 0, width: 1600, height: 900 } }) as Display
  const screen: Pick<Screen, 'getPrimaryDisplay' | 'getAllDisplays'> = {
    getPrimaryDisplay: () => display(2, 0),
    getAllDisplays: () => [display(1, -1600), display(2, 0)],
  }
  const options = (isDark: boolean, saved?: WindowState) =>
    windowOptions({ state: saved, screen, preload: '/app/preload.cjs', isDark })

  it('gives the page neither Node nor a way out of its sandbox', () => {
    expect(options(false).webPreferences).toEqual({
      preload: '/app/preload.cjs',
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: true,
    })
  })

  it('opens where it was, on any of the screens', () => {
    const left = { x: -1500, y: 20, width: 900, height: 700 }
    expect(options(false, { bounds: left, isMaximized: false })).toMatchObject(left)
    expect(options(false)).toMatchObject({ width: 1280, height: 860, show: false })
  })

  it('is dark before the first paint where the page will be', () => {
    expect(options(true).backgroundColor).not.toBe(options(false).backgroundColor)
  })
})

describe('rememberWindow', () => {
  function setUp() {
    const written: WindowState[] = []
    const timers = new Set<() => void>()
    const failures: unknown[] = []
    const world = { isMinimized: false, isFull: false }
    const window = Object.assign(new EventEmitter(), {
      getNormalBounds: () => state.bounds,
      isMaximized: () => true,
      isMinimized: () => world.isMinimized,
      isDestroyed: () => false,
    })
    rememberWindow(
      window as unknown as BrowserWindow,
      {
        read: () => undefined,
        async write(next) {
          if (world.isFull) throw new Error('disk full')
          written.push(next)
        },
      },
      {
        now: () => 0,
        setTimeout(callback) {
          timers.add(callback)
          return { cancel: () => void timers.delete(callback) }
        },
      },
      (error) => failures.push(error),
    )
    const settle = async () => {
      for (const timer of timers) timer()
      timers.clear()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { window, world, written, failures, settle }
  }

  it('writes once after many moves', async () => {
    const { window, written, settle } = setUp()
    for (const event of ['move', 'move', 'resize', 'maximize']) window.emit(event)
    expect(written).toEqual([])
    await settle()
    expect(written).toEqual([state])
  })

  it('writes at once when the window closes', () => {
    const { window, written } = setUp()
    window.emit('move')
    window.emit('close')
    expect(written).toEqual([state])
  })

  it('does not remember a minimised window', async () => {
    const { window, world, written, settle } = setUp()
    world.isMinimized = true
    window.emit('resize')
    await settle()
    expect(written).toEqual([])
  })

  it('says when it could not write, and goes on', async () => {
    const { window, world, failures, settle } = setUp()
    world.isFull = true
    window.emit('close')
    await settle()
    expect(failures).toHaveLength(1)
  })
})

const primary = { x: 0, y: 0, width: 1920, height: 1040 }
const right = { x: 1920, y: 0, width: 1600, height: 900 }

describe('placeWindow', () => {
  it('opens the first window in the middle of the primary screen', () => {
    expect(placeWindow(undefined, [primary])).toEqual({ width: 1280, height: 860 })
  })

  it('keeps the first window inside a small screen', () => {
    const small = { x: 0, y: 0, width: 1024, height: 600 }
    expect(placeWindow(undefined, [small])).toEqual({ width: 1024, height: 600 })
  })

  it('opens where it was left, also on a second screen', () => {
    const saved = { x: 2000, y: 40, width: 1200, height: 800 }
    expect(placeWindow(saved, [primary, right])).toEqual(saved)
  })

  it('opens in the middle when the screen it was on is gone', () => {
    const saved = { x: 2000, y: 40, width: 1200, height: 800 }
    expect(placeWindow(saved, [primary])).toEqual({ width: 1280, height: 860 })
  })

  it('opens in the middle when only its foot would be seen', () => {
    expect(placeWindow({ x: 100, y: -700, width: 1200, height: 800 }, [primary])).not.toHaveProperty('x')
    expect(placeWindow({ x: 100, y: 1030, width: 1200, height: 800 }, [primary])).not.toHaveProperty('y')
  })

  it('keeps a window that hangs over the edge where it was', () => {
    const saved = { x: -900, y: 0, width: 1200, height: 800 }
    expect(placeWindow(saved, [primary])).toEqual(saved)
  })

  it('makes a window fit when the screen became smaller', () => {
    const saved = { x: 0, y: 0, width: 3000, height: 2000 }
    expect(placeWindow(saved, [primary])).toEqual({ x: 0, y: 0, width: 1920, height: 1040 })
  })

  it('gives a size without a screen, as on a machine whose display is off', () => {
    expect(placeWindow({ x: 5, y: 5, width: 900, height: 700 }, [])).toEqual({ width: 1280, height: 860 })
  })
})

describe('parseWindowState', () => {
  it('reads what was written', () => {
    const state = { bounds: { x: 1, y: 2, width: 900, height: 700 }, isMaximized: true }
    expect(parseWindowState(JSON.stringify(state))).toEqual(state)
  })

  it.each([undefined, '', '{"bounds":', '{"bounds":{"x":"1"}}', '[]'])('takes %j for nothing', (text) => {
    expect(parseWindowState(text)).toBeUndefined()
  })
})

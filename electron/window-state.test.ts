import { describe, expect, it } from 'vitest'
import { parseWindowState, placeWindow } from './window-state.ts'

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

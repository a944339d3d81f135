import { EventEmitter } from 'node:events'
import type { App, BrowserWindow } from 'electron'
import { describe, expect, it } from 'vitest'
import { arrangeEnding } from './ending.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** As Electron ends: `quit` asks the app, then each window, then closes. */
function setUp(
  options: { platform?: NodeJS.Platform; mayClose?: () => Promise<boolean>; fails?: boolean } = {},
) {
  const done: string[] = []
  let isOpen = true
  let forced = 0
  const app = Object.assign(new EventEmitter(), {
    quit() {
      let isStopped = false
      app.emit('before-quit', { preventDefault: () => (isStopped = true) })
      if (isStopped) return
      window.close()
      if (!isOpen) done.push('quit')
    },
  })
  const window = {
    close() {
      if (!isOpen || !ending.onWindowClose()) return
      isOpen = false
      done.push('window closed')
    },
  }
  const ending = arrangeEnding({
    app: app as unknown as App,
    platform: options.platform ?? 'linux',
    closing: {
      async mayClose() {
        done.push('may close?')
        return (await options.mayClose?.()) ?? true
      },
    },
    window: () => window as BrowserWindow,
    closeServices: async () => {
      done.push('services closed')
      if (options.fails) throw new Error('still busy')
    },
    forceEnd: () => (forced += 1),
    onFailed: (error) => done.push(String(error)),
  })
  return { done, app, window, ending, forced: () => forced }
}

const whole = ['may close?', 'services closed', 'window closed', 'quit']

describe('arrangeEnding', () => {
  it('saves, ends services, then closes, when the window is closed', async () => {
    const { done, window } = setUp()
    window.close()
    expect(done).toEqual(['may close?'])
    await turn()
    expect(done).toEqual(whole)
  })

  it('does the same when the app is told to quit', async () => {
    const { done, app } = setUp()
    app.quit()
    await turn()
    expect(done).toEqual(whole)
  })

  it('stays open when the author goes back', async () => {
    const { done, window } = setUp({ mayClose: async () => false })
    window.close()
    await turn()
    expect(done).toEqual(['may close?'])
  })

  it('forces its end once it is decided, and at once by a signal', async () => {
    const undecided = setUp({ mayClose: async () => false })
    undecided.window.close()
    await turn()
    expect(undecided.forced()).toBe(0)
    undecided.ending.onSignal()
    expect(undecided.forced()).toBe(1)
    const decided = setUp()
    decided.window.close()
    expect(decided.forced()).toBe(0)
    await turn()
    expect([decided.forced(), decided.done]).toEqual([1, whole])
  })

  it('ends even if a service cannot be closed', async () => {
    const { done, app } = setUp({ fails: true })
    app.quit()
    await turn()
    expect(done).toEqual(['may close?', 'services closed', 'Error: still busy', 'window closed', 'quit'])
  })

  it('keeps the app on macOS when its window closes, and quits when told to', async () => {
    const { done, app, window } = setUp({ platform: 'darwin' })
    window.close()
    await turn()
    app.emit('window-all-closed')
    expect(done).toEqual(['may close?', 'window closed'])
    app.quit()
    await turn()
    expect(done.slice(2)).toEqual(['may close?', 'services closed', 'quit'])
  })

  it('holds a log-off of Windows back until everything is saved, then quits by itself', async () => {
    const { done, ending } = setUp({ platform: 'win32' })
    expect(ending.onSessionEnd()).toBe(false)
    await turn()
    expect(done).toEqual(whole)
    expect(ending.onSessionEnd()).toBe(true)
  })
})

import { EventEmitter } from 'node:events'
import type { App, BrowserWindow } from 'electron'
import { describe, expect, it } from 'vitest'
import { arrangeEnding, type ClosingQuestion, createClosing } from './ending.ts'

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

describe('closing', () => {
  type World = {
    unsaved: boolean
    running: number
    answer: boolean
    flush: () => Promise<void>
  }

  function setUp(world: Partial<World> = {}) {
    const state: World = { unsaved: false, running: 0, answer: true, flush: async () => undefined, ...world }
    const asked: ClosingQuestion[] = []
    const failures: unknown[] = []
    let flushes = 0
    const closing = createClosing({
      state: {
        flush: () => {
          flushes += 1
          return state.flush()
        },
        hasUnsavedWork: () => state.unsaved,
        runningCount: () => state.running,
      },
      ask: async (question) => {
        asked.push(question)
        return state.answer
      },
      onFlushFailed: (error) => failures.push(error),
      flushTimeoutMs: 10_000,
      wait: async () => undefined,
    })
    return { state, asked, failures, closing, flushes: () => flushes }
  }

  describe('createClosing', () => {
    it('saves and closes without a question when nothing would be lost', async () => {
      const { closing, asked, flushes } = setUp()
      expect(await closing.mayClose()).toBe(true)
      expect(asked).toEqual([])
      expect(flushes()).toBeGreaterThan(0)
    })

    it('saves what was unsaved before it thinks of asking', async () => {
      const world = setUp({ unsaved: true })
      world.state.flush = async () => {
        world.state.unsaved = false
      }
      expect(await world.closing.mayClose()).toBe(true)
      expect(world.asked).toEqual([])
    })

    it.each([true, false])('asks when saving fails, and does what is answered: %s', async (answer) => {
      const { closing, asked, failures } = setUp({
        unsaved: true,
        answer,
        flush: () => Promise.reject(new Error('disk full')),
      })
      expect(await closing.mayClose()).toBe(answer)
      expect(asked).toEqual(['unsaved'])
      expect(failures).toHaveLength(1)
    })

    it('does not wait for ever for a save that hangs', async () => {
      const { closing, asked } = setUp({ unsaved: true, flush: () => new Promise(() => undefined) })
      expect(await closing.mayClose()).toBe(true)
      expect(asked).toEqual(['unsaved'])
    })

    it.each([true, false])('asks while the model writes: %s', async (answer) => {
      const { closing, asked } = setUp({ running: 1, answer })
      expect(await closing.mayClose()).toBe(answer)
      expect(asked).toEqual(['running'])
    })

    it('saves again what was typed while the question was open', async () => {
      const world = setUp({ running: 1 })
      world.state.flush = async () => {
        world.state.unsaved = world.asked.length > 0 && world.flushes() < 2
      }
      expect(await world.closing.mayClose()).toBe(true)
      expect(world.flushes()).toBe(2)
    })

    it('asks once, however often the window is told to close', async () => {
      const { closing, asked } = setUp({ running: 1, answer: false })
      const answers = await Promise.all([closing.mayClose(), closing.mayClose()])
      expect(answers).toEqual([false, false])
      expect(asked).toEqual(['running'])
      await closing.mayClose()
      expect(asked).toHaveLength(2)
    })
  })
})

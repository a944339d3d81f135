import { describe, expect, it } from 'vitest'
import { type ClosingQuestion, createClosing } from './closing.ts'

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

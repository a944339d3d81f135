import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WhenPaused } from './when-paused.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Types `count` keys and waits; returns the number of keys at each run of the task. */
function toldAt(keyMs: number, count: number): number[] {
  const told: number[] = []
  let keys = 0
  const paused = new WhenPaused({ pauseMs: 120, longestMs: 1_000 }).task(() => told.push(keys))
  for (; keys < count; ) {
    keys++
    paused.hear()
    vi.advanceTimersByTime(keyMs)
  }
  vi.advanceTimersByTime(2_000)
  return told
}

it('tells once a second while somebody types, and when he pauses', () => {
  expect(toldAt(60, 40)).toEqual([17, 34, 40])
})

it('tells at each pause', () => {
  expect(toldAt(150, 3)).toEqual([1, 2, 3])
})

it('tells nothing where nothing was heard, or after it was stopped', () => {
  expect(toldAt(60, 0)).toEqual([])
  const act = vi.fn()
  const paused = new WhenPaused({ pauseMs: 120, longestMs: 1_000 }).task(act)
  paused.hear()
  paused.stop()
  vi.advanceTimersByTime(2_000)
  expect(act).not.toHaveBeenCalled()
})

it('does all that is due by one timer, and each once', () => {
  const paused = new WhenPaused({ pauseMs: 120, longestMs: 1_000 })
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()]
  const tasks = [first, second, third].map((act) => paused.task(act))
  for (const task of tasks) task.hear()
  tasks[0]?.hear()
  expect(vi.getTimerCount()).toBe(1)
  tasks[2]?.finish()
  tasks[2]?.finish()
  expect(third).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(2_000)
  expect(first).toHaveBeenCalledTimes(1)
  expect(second).toHaveBeenCalledTimes(1)
  expect(third).toHaveBeenCalledTimes(1)
})

import { expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { createAutosave } from './autosave.ts'

function saves() {
  const clock = manualClock()
  const began = clock.now()
  const at: number[] = []
  const timer = createAutosave(clock, () => at.push(clock.now() - began))
  return { clock, timer, at }
}

it('saves after a short rest', async () => {
  const { clock, timer, at } = saves()
  timer.changed()
  await clock.advance(200)
  timer.changed()
  await clock.advance(2_000)
  expect(at).toEqual([500])
})

it('saves again and again under typing without a rest, each time soon enough for a second', async () => {
  const { clock, timer, at } = saves()
  for (let typed = 0; typed <= 2_000; typed += 10) {
    timer.changed()
    await clock.advance(10)
  }
  expect(at).toEqual([600, 1_200, 1_800])
})

it('tries again later, sooner where something changes, and not at all once it is cancelled', async () => {
  const { clock, timer, at } = saves()
  timer.retryLater()
  await clock.advance(5_000)
  timer.retryLater()
  timer.changed()
  await clock.advance(300)
  timer.changed()
  timer.cancel()
  await clock.advance(10_000)
  expect(at).toEqual([5_000, 5_300])
})

import { describe, expect, it } from 'vitest'
import { createLongWork } from './long-work.ts'

function setUp() {
  const shown: string[] = []
  const world = { isInFront: false }
  const work = createLongWork({
    isInFront: () => world.isInFront,
    showProgress: (progress) => shown.push(`progress ${progress}`),
    showBadge: (count) => shown.push(`badge ${count}`),
    flash: (isOn) => shown.push(`flash ${isOn}`),
    notify: ({ name }) => shown.push(`notify ${name}`),
  })
  return { shown, world, work }
}

describe('createLongWork', () => {
  it('shows progress while something runs and takes it away after', () => {
    const { shown, work } = setUp()
    work.update({ runningCount: 1, progress: null })
    work.update({ runningCount: 1, progress: 0.101 })
    work.update({ runningCount: 1, progress: 0.102 })
    work.update({ runningCount: 0, progress: null })
    work.update({ runningCount: 0, progress: null })
    expect(shown).toEqual(['progress unknown', 'progress 0.1', 'progress null'])
  })

  it('tells of what waits while another window is in front', () => {
    const { shown, work } = setUp()
    work.finished({ name: 'Rain' })
    work.finished({ name: 'Snow' })
    expect(shown).toEqual(['badge 1', 'flash true', 'notify Rain', 'badge 2', 'flash true', 'notify Snow'])
  })

  it('keeps quiet while the author looks', () => {
    const { shown, world, work } = setUp()
    world.isInFront = true
    work.finished({ name: 'Rain' })
    work.seen()
    expect(shown).toEqual([])
  })

  it('clears what it showed when the author comes back, and counts from one again', () => {
    const { shown, work } = setUp()
    work.finished({ name: 'Rain' })
    shown.length = 0
    work.seen()
    work.seen()
    work.finished({ name: 'Snow' })
    expect(shown).toEqual(['badge 0', 'flash false', 'badge 1', 'flash true', 'notify Snow'])
  })
})

import { describe, expect, it } from 'vitest'
import type { Run, RunEvent, RunState } from '../src/shared/domain/drafting/run.ts'
import { createLongWork, followRuns } from './run-activity.ts'

const figures = {
  promptTokens: 10,
  reusedTokens: null,
  isReuseEstimated: true,
  completionTokens: 0,
  maxTokens: 100,
  tokensPerSecond: null,
  elapsedMs: 0,
}

const run = (runId: string, state: RunState): Run => ({
  runId,
  kind: 'draft',
  mode: 'generate',
  ideaTarget: 'all',
  placeId: 't',
  workId: 'w',
  path: `${runId}.md`,
  takeId: 't',
  state,
  phase: 'writing',
  position: 0,
  lead: '',
  text: '',
  figures,
  modelName: 'tiny',
  isDemo: false,
  error: null,
  startedAt: 0,
})

const at = (completionTokens: number): RunEvent => ({
  type: 'figures',
  seq: 1,
  figures: { ...figures, completionTokens },
})

function setUp(events: Record<string, RunEvent[]> = {}) {
  const said: string[] = []
  const activity = followRuns({
    async *watch(runId) {
      yield* events[runId] ?? []
    },
    onChange: ({ runningCount, progress }) => said.push(`${runningCount} ${progress}`),
    onFinished: ({ name }) => said.push(`finished ${name}`),
    onFailed: (error) => said.push(String(error)),
  })
  return { said, activity, turn: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe('followRuns', () => {
  it('tells how far a run is, and that its result waits', async () => {
    const { said, activity, turn } = setUp({ a: [at(50), at(120)] })
    activity.update(run('a', 'running'))
    await turn()
    activity.update(run('a', 'finished'))
    expect(said).toEqual(['1 null', '1 0.5', '1 1', '0 null', 'finished a.md'])
  })

  it('adds runs up', async () => {
    const { said, activity, turn } = setUp({ a: [at(50)], b: [at(100)] })
    activity.update(run('a', 'running'))
    await turn()
    activity.update(run('b', 'running'))
    await turn()
    expect(said.at(-1)).toBe('2 0.75')
    expect(activity.runningCount()).toBe(2)
  })

  it.each(['stopped', 'failed', 'interrupted'] as const)('lets nobody wait for a run that %s', (state) => {
    const { said, activity } = setUp()
    activity.update(run('a', 'running'))
    activity.update(run('a', state))
    expect(said).toEqual(['1 null', '0 null'])
  })

  it('hears of a run once, however often it is told', () => {
    const { said, activity } = setUp()
    activity.update(run('a', 'running'))
    activity.update(run('a', 'running'))
    activity.update(run('b', 'finished'))
    expect(said).toEqual(['1 null'])
  })
})

describe('long work', () => {
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
})

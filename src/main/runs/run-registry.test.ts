import { describe, expect, it } from 'vitest'
import { newRun } from '../../../tests/fakes/new-run.ts'
import type { RunEvent } from '../../shared/domain/drafting/run.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock, Log } from '../deps.ts'
import { createRunRegistry, type RunReporter } from './run-registry.ts'

const clock: Clock = { now: () => 1000, setTimeout: () => ({ cancel: () => undefined }) }
const log: Log = { write: () => undefined, bug: () => 'log-1' }

/** Starts a run whose work is driven by the test. */
function driven() {
  const registry = createRunRegistry({ clock, log })
  const work = Promise.withResolvers<'finished' | 'stopped'>()
  let report: RunReporter | undefined
  registry.start(newRun(), (reporter, signal) => {
    report = reporter
    signal.addEventListener('abort', () => work.resolve('stopped'))
    return work.promise
  })
  if (!report) throw new Error('the work did not begin at once')
  return { registry, report, work }
}

const never = new AbortController().signal
const all = (events: AsyncIterable<RunEvent>) => Array.fromAsync(events)

describe('a run', () => {
  it('has the new path of its file where that was renamed', () => {
    const { registry, report } = driven()
    registry.movePath('w', 'b.txt', 'c.txt')
    registry.movePath('other', 'a.txt', 'c.txt')
    expect(registry.find('r1')?.path).toBe('a.txt')
    registry.movePath('w', 'a.txt', 'b.txt')
    expect(registry.find('r1')?.path).toBe('b.txt')
    expect(report.run.path).toBe('b.txt')
  })

  it('is watched from a snapshot on, in numbered events, until it ends', async () => {
    const { registry, report, work } = driven()
    report.text('一')
    const watched = all(registry.watch('r1', undefined, never))
    report.text('二')
    work.resolve('finished')
    const events = await watched
    expect(events.map((event) => event.type)).toEqual(['snapshot', 'text', 'ended'])
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3])
    expect(registry.find('r1')).toMatchObject({ state: 'finished', text: '一二' })
  })

  it('goes on when its watcher leaves, and another catches up after what it saw', async () => {
    const { registry, report, work } = driven()
    const leaving = new AbortController()
    const first = all(registry.watch('r1', undefined, leaving.signal))
    report.text('一')
    leaving.abort()
    await first
    report.text('二')
    work.resolve('finished')
    await Promise.resolve()
    const events = await all(registry.watch('r1', 1, never))
    expect(events.map((event) => event.seq)).toEqual([2, 3])
    const fromAnotherHost = await all(registry.watch('r1', 99, never))
    expect(fromAnotherHost).toMatchObject([{ type: 'snapshot', run: { text: '一二', state: 'finished' } }])
  })

  it('stops with the text that it has', async () => {
    const { registry, report } = driven()
    report.text('一')
    registry.stop('r1')
    await registry.close()
    expect(registry.find('r1')).toMatchObject({ state: 'stopped', text: '一', error: null })
  })

  it('fails with a code, masks a bug, and keeps its text', async () => {
    for (const [failure, code] of [
      [new AppError({ code: 'model/none' }), 'model/none'],
      [new TypeError('secret'), 'internal/bug'],
    ] as const) {
      const { registry, report, work } = driven()
      report.text('一')
      work.reject(failure)
      const events = await all(registry.watch('r1', undefined, never))
      expect(events.at(-1)).toMatchObject({ type: 'ended', state: 'failed', error: { code } })
      expect(JSON.stringify(events)).not.toContain('secret')
      expect(registry.find('r1')?.text).toBe('一')
    }
  })

  it('sends a snapshot to a window that is further behind than what is remembered', async () => {
    const { registry, report, work } = driven()
    for (let i = 0; i < 1500; i += 1) report.text('あ')
    work.resolve('finished')
    await Promise.resolve()
    const [first] = await all(registry.watch('r1', 3, never))
    expect(first).toMatchObject({ type: 'snapshot', run: { state: 'finished' } })
  })

  it('is forgotten only long after it ended', async () => {
    const registry = createRunRegistry({ clock, log })
    for (let i = 0; i < 40; i += 1) {
      registry.start(newRun({ runId: `r${i}` }), async () => 'finished')
      await Promise.resolve()
      await Promise.resolve()
    }
    expect(registry.list('w').length).toBe(20)
    expect(registry.list('w')[0]?.runId).toBe('r39')
    expect(() => registry.watch('r0', undefined, never)).toThrow('run/not-found')
  })
})

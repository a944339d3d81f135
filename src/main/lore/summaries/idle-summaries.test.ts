import { describe, expect, it, onTestFinished } from 'vitest'
import type { ChapterSummary, IdleSummaries } from '../../../shared/domain/lore/chapter-summary.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import { createIdleSummaries, type IdleSummaryDeps, idleMs } from './idle-summaries.ts'
import type { SummaryEnd } from './summary-service.ts'

/** A clock that jumps to the end of each wait at once. */
function leapingClock(): Clock & { onLeap: ((now: number) => void) | undefined } {
  let now = 0
  const clock = {
    now: () => now,
    onLeap: undefined as ((now: number) => void) | undefined,
    setTimeout(callback: () => void, delayMs: number) {
      const timer = setImmediate(() => {
        now += delayMs
        clock.onLeap?.(now)
        callback()
      })
      return { cancel: () => clearImmediate(timer) }
    },
  }
  return clock
}

const offer = {
  takeId: 't',
  text: '雨。',
  isEdited: false,
  modelName: 'm',
  createdAt: 0,
  isCut: false,
  isPartial: false,
}
type Chapter = Partial<Pick<ChapterSummary, 'state' | 'offer'>>

function rig(chapters: Record<string, Chapter>, ends: (SummaryEnd | AppError)[] = []) {
  const clock = leapingClock()
  const made: { path: string; at: number }[] = []
  const texts = new Map(Object.keys(chapters).map((path) => [path, `${path}の本文`]))
  const model = { isDemo: false, profile: { backend: 'koboldcpp', hasKey: true }, client: { isBusy: false } }
  const busy = { isWriting: false }
  const whileIdle = createIdleSummaries({
    clock,
    works: { rootOf: () => '/w' },
    documents: { read: async ({ path }: { path: string }) => ({ text: texts.get(path) ?? '' }) },
    activeModel: async () => model,
    isWriting: () => busy.isWriting,
    summaries: {
      list: async () => ({
        episodes: Object.entries(chapters).map(([path, own]) => ({
          path,
          file: '',
          text: '',
          state: 'none',
          offer: null,
          takes: 0,
          ...own,
        })),
      }),
      async makeInBackground(_: string, path: string) {
        made.push({ path, at: clock.now() })
        const end = ends.shift() ?? 'made'
        if (end instanceof AppError) throw end
        const own = chapters[path]
        if (end === 'made' && own !== undefined) own.offer = offer
        return end
      },
    },
  } as unknown as IdleSummaryDeps)
  const begin = () => {
    const stop = new AbortController()
    const seen: IdleSummaries[] = []
    const following = (async () => {
      for await (const status of whileIdle('w', stop.signal)) seen.push(status)
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error
    })
    const end = async () => {
      stop.abort()
      await following
    }
    onTestFinished(end)
    const until = (state: IdleSummaries['state'], count = 1) =>
      expect
        .poll(() => seen.filter((status) => status.state === state).length, { interval: 1 })
        .toBeGreaterThanOrEqual(count)
    return { seen, until, end }
  }
  return { clock, made, texts, model, busy, begin }
}

describe('summaries while the model is idle', () => {
  it('are made one after another, of finished chapters that need one, and never of what the author wrote', async () => {
    const { made, begin } = rig({
      '1.txt': {},
      '2.txt': { state: 'own' },
      '3.txt': { state: 'current' },
      '4.txt': { state: 'outdated' },
      '5.txt': { offer },
      '6.txt': { offer: { ...offer, isPartial: true, isEdited: true } },
      '7.txt': { offer: { ...offer, isPartial: true } },
      '8.txt': {},
    })
    const { seen, until } = begin()
    await until('complete')
    expect(made.map(({ path }) => path)).toEqual(['1.txt', '4.txt', '7.txt'])
    expect(made[0]?.at).toBeGreaterThanOrEqual(idleMs)
    expect(seen.slice(0, 3)).toEqual([
      { state: 'waiting', path: null, error: null, made: 0 },
      { state: 'writing', path: '1.txt', error: null, made: 0 },
      { state: 'waiting', path: null, error: null, made: 1 },
    ])
    expect(seen.at(-1)).toMatchObject({ state: 'complete', made: 3 })
  })

  it('wait while a run writes or the model is in use, and begin anew after they gave way', async () => {
    const { clock, made, model, busy, begin } = rig({ '1.txt': {}, '2.txt': {} }, ['preempted'])
    busy.isWriting = true
    clock.onLeap = (now) => {
      if (now > 500_000) busy.isWriting = false
      model.client.isBusy = now > 500_000 && now < 700_000
    }
    const { until } = begin()
    await until('complete')
    expect(made[0]?.at).toBeGreaterThanOrEqual(700_000 + idleMs - 10_000)
    expect((made[1]?.at ?? 0) - (made[0]?.at ?? 0)).toBeGreaterThanOrEqual(idleMs)
  })

  it('leave a chapter alone as long as it changes, and one of which the model had nothing to say', async () => {
    const { clock, made, texts, begin } = rig({ '1.txt': {}, '2.txt': {}, '3.txt': {} }, ['empty'])
    clock.onLeap = (now) => void (now < 900_000 && texts.set('1.txt', `${now}`))
    const { until } = begin()
    await until('complete')
    expect(made.map(({ path }) => path)).toEqual(['2.txt', '1.txt'])
    expect(made[1]?.at).toBeGreaterThanOrEqual(900_000 + idleMs - 10_000)
  })

  it('are not asked of a server that may charge for them, nor of the demo', async () => {
    const { made, model, begin } = rig({ '1.txt': {}, '2.txt': {} })
    model.profile.backend = 'openai'
    const { until } = begin()
    await until('remote')
    model.isDemo = true
    await until('demo')
    expect(made).toEqual([])
    Object.assign(model, { isDemo: false, profile: { backend: 'openai', hasKey: false } })
    await until('complete')
    expect(made).toHaveLength(1)
  })

  it('say why they failed and go on later; a second window waits for the first', async () => {
    const failure = new AppError({ code: 'model/context-unknown' })
    const { made, begin } = rig({ '1.txt': {}, '2.txt': {} }, [failure])
    const first = begin()
    const second = begin()
    await first.until('complete')
    expect(first.seen.find(({ state }) => state === 'failed')?.error).toEqual(failure.info)
    expect((made[1]?.at ?? 0) - (made[0]?.at ?? 0)).toBeGreaterThanOrEqual(600_000)
    expect(second.seen).toEqual([{ state: 'elsewhere', path: null, error: null, made: 0 }])
    await first.end()
    await second.until('waiting')
  })
})

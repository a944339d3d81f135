import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { openWholeStore, type WholeStore } from '../../../tests/fakes/disks/test-store.ts'
import { type ManualClock, manualClock } from '../../../tests/fakes/manual-clock.ts'
import { newRun } from '../../../tests/fakes/new-run.ts'
import type { Take, TakeRecord } from '../../shared/domain/drafting/take.ts'
import { systemRandom } from '../platform/random.ts'
import { createSettingRepository } from './app/setting-repository.ts'
import { openDatabase } from './database/database.ts'

function opened(path = join(tempFolder(), 'tsugi.db'), clock: ManualClock = manualClock()) {
  return { path, clock, store: openWholeStore(path, { clock, random: systemRandom }) }
}

const take: Take = {
  takeId: 't1',
  workId: 'w1',
  path: '1.txt',
  mode: 'generate',
  ideaTarget: 'all',
  placeId: 't1',
  task: 'CONT',
  text: '続き。',
  lead: '\n',
  position: 3,
  state: 'pending',
  acceptedLength: 0,
  stopReason: 'stop',
  modelName: 'm',
  isDemo: false,
  promptTokens: 10,
  completionTokens: 3,
  tokensPerSecond: 5,
  elapsedMs: 600,
  createdAt: 1,
}
const record = (change: Partial<Take>, body = '本文'): TakeRecord => ({
  take: { ...take, ...change },
  prompt: [
    { origin: 'wrapper', text: '<s>[INST]' },
    { origin: 'body', text: body },
  ],
  rolls: [{ field: 'body', from: 0, to: 5, source: '{A|B}', value: 'A' }],
  sampler: { temperature: 0.5 },
  seed: 7,
})
const run = newRun({
  workId: 'w1',
  path: '1.txt',
  takeId: 't1',
  placeId: 't1',
  phase: 'writing',
  position: 3,
  startedAt: 5,
})

describe('takes', () => {
  it('come back with all that made them', () => {
    const { store } = opened()
    store.takes.add(record({}))
    expect(store.takes.get('t1')).toEqual(record({}))
    expect(store.takes.update('t1', { state: 'inserted', acceptedLength: 3 }).state).toBe('inserted')
    expect(store.takes.get('t1').take.acceptedLength).toBe(3)
    expect(() => store.takes.get('t2')).toThrow('take/not-found')
    store.close()
  })

  it('are paged from the newest, by file where asked, and follow a renamed file', () => {
    const { store } = opened()
    for (let i = 0; i < 5; i++) store.takes.add(record({ takeId: `t${i}`, path: i % 2 ? '2.txt' : '1.txt' }))
    const first = store.takes.list({ workId: 'w1', limit: 2 })
    expect(first).toMatchObject({ takes: [{ takeId: 't4' }, { takeId: 't3' }], hasMore: true })
    expect(store.takes.list({ workId: 'w1', before: 't3', limit: 9 })).toMatchObject({
      takes: [{ takeId: 't2' }, { takeId: 't1' }, { takeId: 't0' }],
      hasMore: false,
    })
    store.takes.movePath('w1', '2.txt', 'b.txt')
    expect(store.takes.list({ workId: 'w1', path: 'b.txt', limit: 9 }).takes).toHaveLength(2)
    store.close()
  })

  it('with prompts that share most of their text take little room', () => {
    const { store, path } = opened()
    const lines = Array.from(
      { length: 4_000 },
      (_, i) => `${i}行目の文章はこのように続いていく${systemRandom.id()}。`,
    )
    for (let i = 0; i < 20; i++) {
      lines.push(`${i}`)
      store.takes.add(record({ takeId: `t${i}` }, lines.slice(i).join('\n')))
    }
    expect(store.takes.get('t3').prompt[1]?.text).toBe(
      [...lines.slice(3, 4_000), '0', '1', '2', '3'].join('\n'),
    )
    store.close()
    // One text alone is about 200,000 characters.
    expect(statSync(path).size).toBeLessThan(1_500_000)
  })
})

describe('runs', () => {
  it('are written at most every half second, and at once at their end', async () => {
    const { store, clock } = opened()
    store.runs.save(run)
    store.runs.record({ ...run, text: 'a' })
    await clock.advance(300)
    store.runs.record({ ...run, text: 'ab' })
    expect(store.runs.get('r1')?.text).toBe('')
    await clock.advance(200)
    expect(store.runs.get('r1')?.text).toBe('ab')
    store.runs.record({ ...run, text: 'abc' })
    store.runs.record({ ...run, text: 'abcd', state: 'finished' })
    await clock.advance(1_000)
    expect(store.runs.get('r1')).toMatchObject({ text: 'abcd', state: 'finished' })
    store.close()
  })

  it('that a dead host left are interrupted and keep their text', () => {
    const first = opened()
    first.store.runs.save({ ...run, text: '途中' })
    first.store.close()
    const { store } = opened(first.path)
    expect(store.runs.interruptLeftovers(9)).toMatchObject([
      { runId: 'r1', state: 'interrupted', text: '途中' },
    ])
    expect(store.runs.interruptLeftovers(9)).toEqual([])
    store.close()
  })
})

describe('settings, profiles and works', () => {
  it('count as not set where they are no JSON any more', () => {
    const db = openDatabase(`${tempFolder()}/tsugi.db`)
    db.exec("INSERT INTO settings (key, value) VALUES ('app', '{')")
    expect(createSettingRepository(db).get('app')).toBeUndefined()
  })

  it('keep what was said', () => {
    const first = opened()
    first.store.settings.set('app', { theme: 'dark' })
    const work = first.store.works.open('/w', '猫', 1)
    first.store.works.open('/x', '犬', 2)
    first.store.works.setLastPath(work.workId, '1.txt')
    first.store.works.setState(work.workId, 'anchor', { at: 3 })
    first.store.close()
    const { store } = opened(first.path)
    expect(store.settings.get('app')).toEqual({ theme: 'dark' })
    expect(store.settings.get('other')).toBeUndefined()
    expect(store.works.open('/w', '猫', 3)).toEqual({ ...work, lastPath: '1.txt' })
    expect(store.works.getState(work.workId, 'anchor')).toEqual({ at: 3 })
    expect(store.works.recent().map(({ root }) => root)).toEqual(['/w', '/x'])
    store.works.forget('/w')
    expect(store.works.recent().map(({ root }) => root)).toEqual(['/x'])
    expect(store.works.open('/w', '猫', 4).workId).toBe(work.workId)
    store.close()
  })
})

describe('unsaved texts', () => {
  const history = (store: WholeStore, text: string) =>
    store.history.add({ file: '/w/1.txt', at: 1, reason: 'open', text })

  it('survive, with what was open at an unclean end', () => {
    const first = opened()
    first.store.unsaved.opened('/w/1.txt', 1)
    first.store.unsaved.opened('/w/2.txt', 1)
    first.store.unsaved.opened('/w/3.txt', 1)
    first.store.unsaved.saved('/w/2.txt', 5)
    first.store.unsaved.closed('/w/3.txt')
    first.store.unsaved.keep({ file: '/w/1.txt', at: 2, baseHash: null, text: '書きかけ\ud83d' })
    first.store.close()
    const { store } = opened(first.path)
    expect(store.unsaved.takeLeftovers()).toEqual([
      { file: '/w/1.txt', savedAt: null, hasUnsavedText: true },
      { file: '/w/2.txt', savedAt: 5, hasUnsavedText: false },
    ])
    expect(store.unsaved.takeLeftovers()).toEqual([])
    expect(store.unsaved.find('/w/1.txt')?.text).toBe('書きかけ\ud83d')
    store.close()
  })

  it('history keeps each text once and gives its room back', () => {
    const { store } = opened()
    const a = history(store, '一')
    expect(history(store, '一').id).toBe(a.id)
    const b = history(store, '二')
    expect(store.history.list('/w/1.txt').map(({ id }) => id)).toEqual([b.id, a.id])
    // White space and comments are no part of a text's length, here as everywhere.
    const spaced = history(store, '　雨 が\n@// 注\n降る')
    expect(store.history.counted(spaced)).toEqual({ characters: 4, words: 0 })
    expect(store.history.counted({ ...spaced, count: null })).toEqual({ characters: 4, words: 0 })
    store.history.remove([spaced.id])
    store.history.move('/w/1.txt', '/w/2.txt')
    expect(store.history.read(a.id)).toMatchObject({ text: '一', snapshot: { file: '/w/2.txt' } })
    store.history.remove([a.id])
    expect(store.history.read(a.id)).toBeUndefined()
    expect(store.history.read(b.id)?.text).toBe('二')
    store.close()
  })
})

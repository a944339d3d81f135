import { expect, it } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { createPageReuse, keptMeasures } from './kept-measures.ts'

/** Settings in memory; `isFull`: nothing can be stored. */
function settings() {
  const values = new Map<string, unknown>()
  return {
    values,
    isFull: false,
    get: (key: string) => values.get(key),
    set(key: string, value: unknown) {
      if (this.isFull) throw new AppError({ code: 'file/disk-full', path: '/data' })
      values.set(key, JSON.parse(JSON.stringify(value)))
    },
  }
}

it('keeps what was measured for the next host, and forgets what was deleted', () => {
  const kept = settings()
  const speeds = keptMeasures(kept, 'speeds')
  speeds.set('a', 100)
  speeds.set('b', 200)
  speeds.delete('a')
  const next = keptMeasures(kept, 'speeds')
  expect([next.get('a'), next.get('b')]).toEqual([undefined, 200])
  expect(keptMeasures(kept, 'other').get('b')).toBeUndefined()
})

it('keeps the profiles that were measured last', () => {
  const kept = settings()
  const speeds = keptMeasures(kept, 'speeds')
  speeds.set('old', 1)
  speeds.set('used', 1)
  for (let nth = 0; nth < 99; nth += 1) speeds.set(`${nth}`, nth)
  speeds.set('used', 2)
  const next = keptMeasures(kept, 'speeds')
  expect([next.get('old'), next.get('used'), next.get('98')]).toEqual([undefined, 2, 98])
})

it('goes on in memory while the disk is full, and begins anew where the kept value is none', () => {
  const kept = settings()
  kept.isFull = true
  const speeds = keptMeasures(kept, 'speeds')
  speeds.set('a', 100)
  expect(speeds.get('a')).toBe(100)
  kept.values.set('speeds', { a: 'fast' })
  expect(keptMeasures(kept, 'speeds').get('a')).toBeUndefined()
})

const lines = Array.from({ length: 100 }, (_, nth) => `${nth}番目の行が続く。\n`)
const page = (from: number, to: number) =>
  `指示。\n【本文】\n${lines.slice(from, to).join('')}\n【終わり】\n続きを書く。`
const answer = '  答えの文が続く。'.repeat(20)
const read = (prompt: string, reusedTokens: number | null) => ({
  prompt,
  answer,
  figures: { promptTokens: 1000, reusedTokens },
})

it('counts the shared beginning, and nothing before the first page', () => {
  const reuse = createPageReuse()
  expect(reuse.estimate('w', 'p', page(0, 50), 1000)).toBeNull()
  reuse.remember('w', 'p', read(page(0, 50), 0))
  expect(reuse.estimate('w', 'p', page(0, 55), 1100)).toBeGreaterThan(950)
  expect(reuse.estimate('w', 'p', page(10, 60), 1000)).toBeLessThan(50)
})

it('counts what stands behind a cut beginning once the server was seen to keep it, until it is seen to read it', () => {
  const reuse = createPageReuse()
  reuse.remember('w', 'p', read(page(0, 50), 0))
  reuse.remember('w', 'p', read(page(10, 60), 780))
  const moved = reuse.estimate('w', 'p', page(20, 65), 1000)
  expect(moved).toBeGreaterThan(800)
  // Up to the end of the last page's text, not of its answer.
  expect(moved).toBeLessThan(900)
  expect(reuse.estimate('w', 'other', page(20, 65), 1000)).toBeLessThan(50)
  // Its server was started again without context shift.
  reuse.remember('w', 'p', read(page(20, 65), 30))
  expect(reuse.estimate('w', 'p', page(30, 70), 1000)).toBeLessThan(50)
})

it('takes a server for one that reads again after two pages in a row, until it is seen to keep one', () => {
  const measures = new Map<string, number>()
  const reuse = createPageReuse(measures)
  const seen = (from: number, reusedTokens: number) => {
    reuse.remember('w', 'p', read(page(from, from + 50), reusedTokens))
    return reuse.readsAgain('p')
  }
  expect([seen(0, 0), seen(10, 20), seen(20, 10)]).toEqual([false, false, true])
  expect(createPageReuse(measures).readsAgain('p')).toBe(true)
  expect(reuse.readsAgain('other')).toBe(false)
  expect([seen(30, 780), seen(40, 10)]).toEqual([false, false])
})

it.each([
  ['does not tell what it reads', page(0, 50), page(10, 60), null],
  ['still has the text of before the start', null, page(10, 60), 990],
  ['is asked for the same page again', page(10, 60), page(10, 60), 990],
])('learns nothing from a server that %s', (_, first, second, reusedTokens) => {
  const reuse = createPageReuse()
  if (first !== null) reuse.remember('w', 'p', read(first, 0))
  reuse.remember('w', 'p', read(second, reusedTokens))
  expect(reuse.estimate('w', 'p', page(20, 65), 1000)).toBeLessThan(50)
})

it('keeps the last page where a run was stopped before it had a prompt', () => {
  const reuse = createPageReuse()
  reuse.remember('w', 'p', read(page(0, 50), 0))
  reuse.remember('w', 'p', read('', null))
  expect(reuse.estimate('w', 'p', page(0, 55), 1100)).toBeGreaterThan(950)
})

it('reads everything again where something else was read last, and learns nothing from that', () => {
  const reuse = createPageReuse()
  expect(reuse.estimate('w', 'p', page(0, 50), 1000, '')).toBeNull()
  reuse.remember('w', 'p', read(page(0, 50), 0))
  expect(reuse.estimate('w', 'p', page(0, 55), 1100, page(0, 50) + answer)).toBeGreaterThan(950)
  expect(reuse.estimate('w', 'p', page(0, 55), 1100, '別の会話の全体。')).toBe(0)
  for (const from of [10, 20, 30])
    reuse.remember('w', 'p', { ...read(page(from, from + 50), 0), lastRead: '別の会話の全体。' })
  expect(reuse.readsAgain('p')).toBe(false)
})

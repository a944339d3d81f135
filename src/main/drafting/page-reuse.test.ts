import { expect, it } from 'vitest'
import { PageReuse } from './page-reuse.ts'

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
  const reuse = new PageReuse()
  expect(reuse.estimate('w', 'p', page(0, 50), 1000)).toBeNull()
  reuse.remember('w', 'p', read(page(0, 50), 0))
  expect(reuse.estimate('w', 'p', page(0, 55), 1100)).toBeGreaterThan(950)
  expect(reuse.estimate('w', 'p', page(10, 60), 1000)).toBeLessThan(50)
})

it('counts what stands behind a cut beginning once the server was seen to keep it, until it is seen to read it', () => {
  const reuse = new PageReuse()
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
  const reuse = new PageReuse(measures)
  const seen = (from: number, reusedTokens: number) => {
    reuse.remember('w', 'p', read(page(from, from + 50), reusedTokens))
    return reuse.readsAgain('p')
  }
  expect([seen(0, 0), seen(10, 20), seen(20, 10)]).toEqual([false, false, true])
  expect(new PageReuse(measures).readsAgain('p')).toBe(true)
  expect(reuse.readsAgain('other')).toBe(false)
  expect([seen(30, 780), seen(40, 10)]).toEqual([false, false])
})

it.each([
  ['does not tell what it reads', page(0, 50), page(10, 60), null],
  ['still has the text of before the start', null, page(10, 60), 990],
  ['is asked for the same page again', page(10, 60), page(10, 60), 990],
])('learns nothing from a server that %s', (_, first, second, reusedTokens) => {
  const reuse = new PageReuse()
  if (first !== null) reuse.remember('w', 'p', read(first, 0))
  reuse.remember('w', 'p', read(second, reusedTokens))
  expect(reuse.estimate('w', 'p', page(20, 65), 1000)).toBeLessThan(50)
})

it('keeps the last page where a run was stopped before it had a prompt', () => {
  const reuse = new PageReuse()
  reuse.remember('w', 'p', read(page(0, 50), 0))
  reuse.remember('w', 'p', read('', null))
  expect(reuse.estimate('w', 'p', page(0, 55), 1100)).toBeGreaterThan(950)
})

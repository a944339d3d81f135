import { expect, it } from 'vitest'
import type { RunFigures } from '../../shared/domain/drafting/run.ts'
import { PageReuse } from './page-reuse.ts'

const lines = Array.from({ length: 100 }, (_, nth) => `${nth}番目の行が続く。\n`)
const page = (from: number, to: number) => `【本文】\n${lines.slice(from, to).join('')}`
const figures = (reusedTokens: number | null, predictedTokens: number): RunFigures => ({
  promptTokens: 1000,
  reusedTokens,
  isReuseEstimated: true,
  completionTokens: 100,
  maxTokens: 100,
  tokensPerSecond: 40,
  elapsedMs: 1000,
  reading: { predictedTokens, predictedMs: null, tookMs: 1000 },
})

it('counts the shared beginning, and nothing before the first page', () => {
  const reuse = new PageReuse()
  expect(reuse.estimate('w', 'p', page(0, 50), 1000)).toBeNull()
  reuse.remember('w', 'p', page(0, 50), figures(0, 1000))
  expect(reuse.estimate('w', 'p', page(0, 55), 1100)).toBeGreaterThan(950)
  expect(reuse.estimate('w', 'p', page(10, 60), 1000)).toBeLessThan(50)
})

it('counts what stands behind a cut beginning once the server was seen to keep it, until it is seen to read it', () => {
  const reuse = new PageReuse()
  reuse.remember('w', 'p', page(0, 50), figures(0, 1000))
  const predicted = 1000 - (reuse.estimate('w', 'p', page(10, 60), 1000) ?? 0)
  reuse.remember('w', 'p', page(10, 60), figures(850, predicted))
  expect(reuse.estimate('w', 'p', page(20, 65), 1000)).toBeGreaterThan(800)
  expect(reuse.estimate('w', 'other', page(20, 65), 1000)).toBeLessThan(50)
  // Its server was started again without context shift.
  reuse.remember('w', 'p', page(20, 65), figures(30, 150))
  expect(reuse.estimate('w', 'p', page(30, 70), 1000)).toBeLessThan(50)
})

it('learns nothing from a server that does not tell what it reads', () => {
  const reuse = new PageReuse()
  reuse.remember('w', 'p', page(0, 50), figures(null, 1000))
  expect(reuse.estimate('w', 'p', page(10, 60), 1000)).toBeLessThan(50)
})

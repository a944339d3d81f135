import { expect, it } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { keptMeasures } from './kept-measures.ts'

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

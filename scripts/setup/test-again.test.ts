import { describe, expect, it } from 'vitest'
import { afterAnotherRun, isWorthAnotherRun, vitestSelection } from './test-again.mjs'
import { suiteLine } from './test-counts.mjs'

const failure = (title: string | undefined, file = '/a/sum.test.ts') => ({
  name: title === undefined ? file : `${file}: ${title}`,
  file,
  ...(title === undefined ? {} : { title }),
  message: 'Error',
  isFlaky: false,
})
const counts = { passed: 5, failed: 2, skipped: 1, isCrashed: false }

describe('what failed once', () => {
  it('has passed where it passes in the run of its own, and stays named', () => {
    const first = { counts, failures: [failure('adds'), failure('divides')], code: 1 }
    const result = afterAnotherRun(first, ['/a/sum.test.ts: adds', '/a/sum.test.ts: another'])
    expect(result.failures.map(({ title, isFlaky }) => [title, isFlaky])).toEqual([
      ['adds', true],
      ['divides', false],
    ])
    expect(suiteLine(result.counts)).toBe('6 passed, 1 failed, 1 skipped')
  })

  it('has failed where the second run does not name it', () => {
    expect(afterAnotherRun({ counts, failures: [failure('adds')] }, []).counts).toEqual(counts)
  })

  it('is run again only where it is not too much', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => failure(`${at}`))
    expect([0, 1, 20, 21].map((count) => isWorthAnotherRun(many(count)))).toEqual([false, true, true, false])
  })
})

describe('the selection of unit tests', () => {
  it('names each file once and each test by its whole title', () => {
    expect(vitestSelection([failure('adds (a+b)'), failure('divides'), failure('x', '/b.test.ts')])).toEqual([
      '/a/sum.test.ts',
      '/b.test.ts',
      '--testNamePattern',
      String.raw`^(adds \(a\+b\)|divides|x)$`,
    ])
  })

  it('is the whole files where one of them could not be loaded', () => {
    expect(vitestSelection([failure(undefined), failure('x', '/b.test.ts')])).toEqual([
      '/a/sum.test.ts',
      '/b.test.ts',
    ])
  })
})

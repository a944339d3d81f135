import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countExit, countPlaywright, countVitest, suiteLine, summaryLine } from './test-counts.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'counts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function report(content: unknown): string {
  const file = path.join(folder, 'report.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const vitest = (passed: number, failed: number, pending = 0, testResults: unknown[] = []) =>
  report({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTodoTests: 0,
    testResults,
  })

describe('what a suite came to', () => {
  it('adds up what vitest names', () => {
    expect(countVitest(vitest(5, 1, 2), 1)).toEqual({ passed: 5, failed: 1, skipped: 2, isCrashed: false })
  })

  it('counts a file that could not be loaded', () => {
    const broken = { status: 'failed', assertionResults: [] }
    expect(countVitest(vitest(5, 0, 0, [broken]), 1)).toMatchObject({ failed: 1, isCrashed: false })
  })

  it('adds up what Playwright names; a flaky test passed in the end', () => {
    const stats = { expected: 3, flaky: 1, unexpected: 2, skipped: 1 }
    expect(countPlaywright(report({ stats }), 1)).toEqual({
      passed: 4,
      failed: 2,
      skipped: 1,
      isCrashed: false,
    })
  })

  it.each([
    ['leaves no report', () => countVitest(path.join(folder, 'none.json'), 1)],
    ['leaves half a report', () => countVitest(report('{"numPassed'), 0)],
    ['ends badly although all tests passed', () => countVitest(vitest(5, 0), 1)],
    ['runs no test', () => countVitest(vitest(0, 0), 0)],
    [
      'skips every test',
      () => countPlaywright(report({ stats: { expected: 0, flaky: 0, unexpected: 0, skipped: 4 } }), 0),
    ],
  ])('is a failure when it %s', (_case, count) => {
    expect(count()).toMatchObject({ failed: 1, isCrashed: true })
  })
})

describe('the last line', () => {
  it('counts all suites together', () => {
    expect(summaryLine([countExit(0), countExit(2)])).toBe('1 passed, 1 failed')
  })

  it('has these words and no others', () => {
    expect(summaryLine([countVitest(vitest(5, 0, 2), 0)])).toBe('5 passed, 0 failed')
  })
})

describe('the line of a suite', () => {
  it('names skipped tests only where there are any', () => {
    expect(suiteLine(countVitest(vitest(5, 0, 2), 0))).toBe('5 passed, 0 failed, 2 skipped')
    expect(suiteLine(countExit(0))).toBe('1 passed, 0 failed')
  })
})

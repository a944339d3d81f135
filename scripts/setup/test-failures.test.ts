import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failureLines, playwrightFailures, vitestFailures } from './test-failures.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'failures-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function report(content: unknown): string {
  const file = path.join(folder, 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

const passed = { fullName: 'adds', status: 'passed', failureMessages: [] }
const flaky = { fullName: 'waits', status: 'passed', failureMessages: ['Error: late\n    at one'] }
const failed = {
  fullName: 'divides',
  status: 'failed',
  failureMessages: ['\u001b[31mError: by zero\u001b[39m'],
}

describe('the tests that a unit report names', () => {
  it('are those that failed at any attempt', () => {
    const file = report({
      testResults: [
        { name: '/a/sum.test.ts', status: 'failed', assertionResults: [passed, flaky, failed], message: '' },
      ],
    })
    expect(vitestFailures(file)).toEqual([
      { name: 'sum.test.ts: waits', message: 'Error: late\n    at one', isFlaky: true },
      { name: 'sum.test.ts: divides', message: 'Error: by zero', isFlaky: false },
    ])
  })

  it('name a file that could not be loaded', () => {
    const file = report({
      testResults: [
        { name: '/a/sum.test.ts', status: 'failed', assertionResults: [], message: 'no such module' },
      ],
    })
    expect(vitestFailures(file)).toEqual([{ name: 'sum.test.ts', message: 'no such module', isFlaky: false }])
  })

  it('are none without a report', () => {
    expect(vitestFailures(path.join(folder, 'none.json'))).toEqual([])
  })
})

describe('the tests that an end-to-end report names', () => {
  const spec = (title: string, ok: boolean, ...errors: (string | undefined)[]) => ({
    title,
    ok,
    tests: [{ results: errors.map((message) => ({ errors: message === undefined ? [] : [{ message }] })) }],
  })

  it('are found in every group, with the path to them', () => {
    const file = report({
      suites: [
        {
          title: 'ghost.spec.ts',
          specs: [spec('fine', true, undefined)],
          suites: [
            {
              title: 'Tab',
              specs: [spec('takes', false, 'no ghost', 'no ghost'), spec('waits', true, 'late', undefined)],
            },
          ],
        },
      ],
    })
    expect(playwrightFailures(file)).toEqual([
      { name: 'ghost.spec.ts › Tab › takes', message: 'no ghost', isFlaky: false },
      { name: 'ghost.spec.ts › Tab › waits', message: 'late', isFlaky: true },
    ])
  })
})

describe('the end of the output', () => {
  const say = (key: string) => key

  it('names the failed before the flaky', () => {
    const lines = failureLines(
      [
        { name: 'late', message: 'a\nb', isFlaky: true },
        { name: 'wrong', message: 'c', isFlaky: false },
      ],
      say,
    )
    expect(lines).toEqual(['failedTests', '- wrong', '    c', '', 'flakyTests', '- late', '    a\n    b', ''])
  })

  it('says nothing where nothing failed', () => {
    expect(failureLines([], say)).toEqual([])
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inRoot } from './paths.mjs'
import {
  failureLines,
  playwrightFailures,
  playwrightPassed,
  vitestFailures,
  vitestPassed,
} from './test-failures.mjs'

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

const passed = {
  ancestorTitles: ['sums'],
  title: 'adds',
  fullName: 'sums adds',
  status: 'passed',
  failureMessages: [],
}
const failed = {
  ancestorTitles: ['sums'],
  title: 'divides',
  fullName: 'sums divides',
  status: 'failed',
  failureMessages: ['\u001b[31mError: by zero\u001b[39m'],
}

describe('the tests that a unit report names', () => {
  const sum = inRoot('src/sum.test.ts')

  it('are those that failed', () => {
    const file = report({
      testResults: [{ name: sum, status: 'failed', assertionResults: [passed, failed], message: '' }],
    })
    expect(vitestFailures(file)).toEqual([
      {
        name: 'src/sum.test.ts: sums divides',
        file: sum,
        title: 'sums > divides',
        message: 'Error: by zero',
        isFlaky: false,
      },
    ])
    expect(vitestPassed(file)).toEqual(['src/sum.test.ts: sums adds'])
  })

  it('name a file that could not be loaded', () => {
    const broken = { name: sum, status: 'failed', assertionResults: [], message: 'no such module' }
    expect(vitestFailures(report({ testResults: [broken] }))).toEqual([
      { name: 'src/sum.test.ts', file: sum, message: 'no such module', isFlaky: false },
    ])
  })

  it('name a file as passed where every test of it passed', () => {
    const whole = { name: sum, status: 'passed', assertionResults: [passed], message: '' }
    expect(vitestPassed(report({ testResults: [whole] }))).toEqual([
      'src/sum.test.ts: sums adds',
      'src/sum.test.ts',
    ])
  })

  it('do not count as passed where another of the same name failed', () => {
    const twins = [passed, { ...failed, fullName: passed.fullName }]
    const file = report({
      testResults: [{ name: sum, status: 'failed', assertionResults: twins, message: '' }],
    })
    expect(vitestPassed(file)).toEqual([])
  })

  it('are none without a report', () => {
    expect(vitestFailures(path.join(folder, 'none.json'))).toEqual([])
  })
})

describe('the tests that an end-to-end report names', () => {
  const spec = (title: string, ok: boolean, ...errors: (string | undefined)[]) => ({
    title,
    ok,
    tests: [
      {
        results: errors.map((message) => ({
          status: message === undefined ? 'passed' : 'failed',
          errors: message === undefined ? [] : [{ message }],
        })),
      },
    ],
  })

  it('are found in every group, with the path to them', () => {
    const file = report({
      suites: [
        {
          title: 'ghost.spec.ts',
          file: 'ghost.spec.ts',
          specs: [spec('fine', true, undefined)],
          suites: [
            {
              title: 'Tab',
              specs: [spec('takes', false, 'no ghost'), spec('skipped', true)],
            },
          ],
        },
      ],
    })
    expect(playwrightFailures(file)).toEqual([
      {
        name: 'ghost.spec.ts › Tab › takes',
        file: 'ghost.spec.ts',
        title: 'takes',
        message: 'no ghost',
        isFlaky: false,
      },
    ])
    expect(playwrightPassed(file)).toEqual(['ghost.spec.ts › fine'])
  })
})

describe('the end of the output', () => {
  const say = (key: string) => key

  it('names the failed before the flaky', () => {
    const lines = failureLines(
      [
        { name: 'late', file: 'x', message: 'a\nb', isFlaky: true },
        { name: 'wrong', file: 'x', message: 'c', isFlaky: false },
      ],
      say,
    )
    expect(lines).toEqual(['failedTests', '- wrong', '    c', '', 'flakyTests', '- late', '    a\n    b', ''])
  })

  it('says nothing where nothing failed', () => {
    expect(failureLines([], say)).toEqual([])
  })
})

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from './paths.mjs'

/**
 * A test that failed, for good or only at the first attempt. A file that could not be loaded has no title.
 *
 * @typedef {{ name: string, file: string, title?: string, message: string, isFlaky: boolean }} Failure
 */

/** The tests that vitest's JSON report names as failed. @returns {Failure[]} */
export function vitestFailures(reportFile) {
  return (readReport(reportFile)?.testResults ?? []).flatMap((file) => {
    const tests = file.assertionResults.filter((test) => test.status === 'failed')
    const failures = tests.map((test) => ({
      name: unitName(file, test),
      file: file.name,
      // As vitest's own filter has it; `fullName` is joined by spaces.
      title: [...test.ancestorTitles, test.title].join(' > '),
      message: firstLines(test.failureMessages[0]),
      isFlaky: false,
    }))
    const isBroken = file.status === 'failed' && failures.length === 0
    const message = firstLines(file.message)
    return isBroken ? [{ name: unitName(file), file: file.name, message, isFlaky: false }] : failures
  })
}

/** The tests that Playwright's JSON report names as failed. @returns {Failure[]} */
export function playwrightFailures(reportFile) {
  return specsOf(reportFile).flatMap(({ spec, name, file }) => {
    const errors = spec.tests.flatMap((test) => test.results.flatMap((result) => result.errors))
    const message = firstLines(errors.map((error) => error.message ?? '').join('\n'))
    return spec.ok ? [] : [{ name, file, title: spec.title, message, isFlaky: false }]
  })
}

/** Returns the passed tests of a vitest report, and the files in which every test passed. */
export function vitestPassed(reportFile) {
  const failed = new Set(vitestFailures(reportFile).map(({ name }) => name))
  const passed = (readReport(reportFile)?.testResults ?? []).flatMap((file) => {
    const passed = file.assertionResults.filter((test) => test.status === 'passed')
    const names = passed.map((test) => unitName(file, test))
    return file.status === 'passed' && passed.length > 0 ? [...names, unitName(file)] : names
  })
  return passed.filter((name) => !failed.has(name))
}

/** Returns the passed tests of a Playwright report. */
export function playwrightPassed(reportFile) {
  return specsOf(reportFile).flatMap(({ spec, name }) =>
    spec.ok && spec.tests.some((test) => test.results.some((result) => result.status === 'passed'))
      ? [name]
      : [],
  )
}

/** Returns the lines about failures at the end of `npm test`: failed, then flaky ones, each with its error's start. */
export function failureLines(failures, say) {
  const tell = (title, chosen) =>
    chosen.length === 0
      ? []
      : [title, ...chosen.flatMap(({ name, message }) => [`- ${name}`, indent(message)]), '']
  return [
    ...tell(
      say('failedTests'),
      failures.filter((failure) => !failure.isFlaky),
    ),
    ...tell(
      say('flakyTests'),
      failures.filter((failure) => failure.isFlaky),
    ),
  ]
}

/**
 * Returns the report of a test tool, or undefined where it left no complete one.
 *
 * @param {string} file
 */
export function readReport(file) {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function unitName(file, test) {
  const name = path.relative(root, file.name)
  return test === undefined ? name : `${name}: ${test.fullName}`
}

function specsOf(reportFile) {
  return (readReport(reportFile)?.suites ?? []).flatMap((suite) => inSuite(suite, [], suite.file))
}

function inSuite(suite, titles, file) {
  const named = [...titles, suite.title]
  const own = (suite.specs ?? []).map((spec) => ({ spec, file, name: [...named, spec.title].join(' › ') }))
  return [...own, ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, named, file))]
}

/** Errors can be whole pages; their start says which expectation broke. */
function firstLines(message) {
  return stripVTControlCharacters(message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('/node_modules/'))
    .slice(0, 8)
    .join('\n')
    .slice(0, 800)
}

function indent(text) {
  return text.replace(/^/gm, '    ')
}

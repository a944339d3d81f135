import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/**
 * A test that failed, at every attempt or only at the first.
 *
 * @typedef {{ name: string, message: string, isFlaky: boolean }} Failure
 */

/** The tests that vitest's JSON report names. @returns {Failure[]} */
export function vitestFailures(reportFile) {
  return (readReport(reportFile)?.testResults ?? []).flatMap((file) => {
    const tests = file.assertionResults.filter((test) => (test.failureMessages ?? []).length > 0)
    const failures = tests.map((test) => ({
      name: `${path.basename(file.name)}: ${test.fullName}`,
      message: firstLines(test.failureMessages[0]),
      isFlaky: test.status === 'passed',
    }))
    const isBroken = file.status === 'failed' && failures.every((failure) => failure.isFlaky)
    const broken = { name: path.basename(file.name), message: firstLines(file.message), isFlaky: false }
    return isBroken ? [...failures, broken] : failures
  })
}

/** The tests that Playwright's JSON report names. @returns {Failure[]} */
export function playwrightFailures(reportFile) {
  return (readReport(reportFile)?.suites ?? []).flatMap((suite) => inSuite(suite, []))
}

/** What the end of `npm test` says of them: the failed, then the flaky, each with the start of its error. */
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
 * What a test tool wrote, or nothing where it left no whole report.
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

function inSuite(suite, titles) {
  const named = [...titles, suite.title]
  const own = (suite.specs ?? []).flatMap((spec) => {
    const results = spec.tests.flatMap((test) => test.results)
    const errors = results.find((result) => result.errors.length > 0)?.errors
    if (errors === undefined) return []
    const name = [...named, spec.title].join(' › ')
    const message = firstLines(errors.map((error) => error.message ?? '').join('\n'))
    return [{ name, message, isFlaky: spec.ok }]
  })
  return [...own, ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, named))]
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

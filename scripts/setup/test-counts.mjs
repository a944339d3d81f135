import { readReport } from './test-failures.mjs'

/**
 * The result of a suite. A suite has one more failure where it ended with an error without naming a failed test, or
 * where it ran no test: a crash must never look like success.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, isCrashed: boolean }} Counts
 */

/** A suite that is one test by itself: its exit code says it. */
export function countExit(code) {
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, isCrashed: false }
}

/** @returns {Counts} */
export function countVitest(reportFile, code) {
  const report = readReport(reportFile)
  if (report === undefined) return crashed()
  // A file that cannot be imported has no tests to name.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
  return settle(
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken,
      skipped: report.numPendingTests + report.numTodoTests,
    },
    code,
  )
}

/** A flaky test passed in the end. @returns {Counts} */
export function countPlaywright(reportFile, code) {
  const report = readReport(reportFile)
  if (report === undefined) return crashed()
  const { expected, flaky, unexpected, skipped } = report.stats
  return settle({ passed: expected + flaky, failed: unexpected, skipped }, code)
}

/** The last line of `npm test`: these words and no others, so that a program can read it. */
export function summaryLine(all) {
  const sum = (key) => all.reduce((total, counts) => total + counts[key], 0)
  return `${sum('passed')} passed, ${sum('failed')} failed`
}

/** Returns the line about one suite, with its skipped tests. */
export function suiteLine(counts) {
  const { skipped } = counts
  return `${summaryLine([counts])}${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

function settle(counts, code) {
  const isCrashed = (code !== 0 && counts.failed === 0) || counts.passed + counts.failed === 0
  return { ...counts, failed: counts.failed + (isCrashed ? 1 : 0), isCrashed }
}

function crashed() {
  return { passed: 0, failed: 1, skipped: 0, isCrashed: true }
}

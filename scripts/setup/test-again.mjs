/**
 * Failed tests are run once more at the end of `npm test`, when nothing else is running. A test that then passes counts
 * as passed but is still named, since a flaky test is a fault.
 *
 * @typedef {import('./test-counts.mjs').Counts} Counts
 * @typedef {import('./test-failures.mjs').Failure} Failure
 */

/** Maximum number of failed tests that are run again: more of them have a common cause. */
const MOST_TRIED_AGAIN = 20

/** @param {readonly Failure[]} failures */
export function isWorthAnotherRun(failures) {
  return failures.length > 0 && failures.length <= MOST_TRIED_AGAIN
}

/**
 * A suite's result after the second run.
 *
 * @param {{ counts: Counts, failures: readonly Failure[] }} first
 * @param {readonly string[]} passed names of what passed in the second run; what it does not name has still failed
 */
export function afterAnotherRun({ counts, failures, ...rest }, passed) {
  const names = new Set(passed)
  const told = failures.map((failure) => ({ ...failure, isFlaky: names.has(failure.name) }))
  const mended = told.filter((failure) => failure.isFlaky).length
  return {
    ...rest,
    failures: told,
    counts: { ...counts, passed: counts.passed + mended, failed: counts.failed - mended },
  }
}

/**
 * The arguments by which vitest runs just these tests.
 *
 * @param {readonly Failure[]} failures
 */
export function vitestSelection(failures) {
  const files = [...new Set(failures.map((failure) => failure.file))]
  const isWholeFile = failures.some((failure) => failure.title === undefined)
  if (isWholeFile) return files
  const titles = failures.map((failure) => failure.title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return [...files, '--testNamePattern', `^(${titles.join('|')})$`]
}

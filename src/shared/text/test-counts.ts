export type TestCounts = { passed: number; failed: number }

/** The length of the end of an output that is searched. Units: characters. */
const limitLength = 20_000

/** Summaries of test runners; `failed` and `passed` may stand in any order on one line. */
const lineOf = /^.*\b\d+ (?:passed|passing|failed|failing)\b.*$/gm
const tapOf = { passed: /^# pass (\d+)$/gm, failed: /^# fail (\d+)$/gm }

/** Reads passed and failed tests of vitest, jest, pytest, mocha, cargo and `node --test`; null without them. */
export function testCounts(output: string): TestCounts | null {
  const text = output.slice(-limitLength)
  const tap = { passed: lastNumber(text, tapOf.passed), failed: lastNumber(text, tapOf.failed) }
  if (tap.passed !== null && tap.failed !== null) return { passed: tap.passed, failed: tap.failed }
  const lines = [...text.matchAll(lineOf)]
    .map(([line]) => line)
    .filter((line) => !/\bTest (?:Files|Suites)\b/.test(line))
  const passed = lines.map((line) => countIn(line, 'pass(?:ed|ing)')).findLast((count) => count !== null)
  const failed = lines.map((line) => countIn(line, 'fail(?:ed|ing)')).findLast((count) => count !== null)
  if (passed == null && failed == null) return null
  return { passed: passed ?? 0, failed: failed ?? 0 }
}

function countIn(line: string, word: string): number | null {
  const found = new RegExp(`\\b(\\d+) ${word}\\b`).exec(line)?.[1]
  return found === undefined ? null : Number(found)
}

function lastNumber(text: string, pattern: RegExp): number | null {
  const found = [...text.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? null : Number(found)
}

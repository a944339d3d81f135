/** Maximum number of lines of a run that are kept for comparison with the next one. */
const limitLines = 2_000
/** Units: UTF-16 code units. */
const limitLineLength = 300

/** Key under which a work's state keeps the last runs of its checks. */
export const keptRunsKey = 'check-runs'

/** The output of one run of a check, kept to be compared with the next run. `isPassed`: the exit code was 0. */
export type CheckRun = { isPassed: boolean; lines: readonly string[] }

/** Keeps the last lines of a check's output, without numbers and surplus spaces. */
export function checkRunOf(output: string, isPassed: boolean): CheckRun {
  const lines = output.split('\n').map(comparable)
  return { isPassed, lines: lines.filter((line) => line !== '').slice(-limitLines) }
}

/**
 * Returns the lines of a failed run that the run before it did not have, each as often as it is new.
 *
 * Shape: all lines where nothing is known of an earlier run. An empty list means that the earlier run failed likewise.
 */
export function newProblems(output: string, before: CheckRun | null): string[] {
  const lines = output.split('\n').filter((line) => comparable(line) !== '')
  if (before === null) return lines
  const counts = new Map<string, number>()
  for (const line of before.lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  const found = lines.filter((line) => {
    const key = comparable(line)
    const count = counts.get(key) ?? 0
    counts.set(key, count - 1)
    return count <= 0
  })
  return found.length === 0 && before.isPassed ? lines : found
}

/** A line without numbers and surplus spaces; empty where it has no letter. */
function comparable(line: string): string {
  const plain = line
    .slice(0, limitLineLength)
    .replace(/\d+(?:[.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
  return /\p{L}/u.test(plain) ? plain : ''
}

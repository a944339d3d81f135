import { z } from 'zod'
import type { TrustService } from '../gates/trust-service.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { WorkRepository } from '../store/works/work-repository.ts'

export type FolderChecks = {
  /** The checks that are on; none while the folder is not trusted. */
  lines(): readonly string[]
  /** The last run of a check that was carried out; null where none is known. */
  known(line: string): CheckRun | null
  keep(line: string, run: CheckRun): void
}

const KeptRuns = z
  .record(z.string(), z.object({ isPassed: z.boolean(), lines: z.array(z.string()) }))
  .catch({})

/** Returns the checks that the user chose for a folder, and what they last found there. */
export function folderChecks(
  {
    store,
    workSettings,
    trust,
  }: {
    store: { works: Pick<WorkRepository, 'getState' | 'setState'> }
    workSettings: Pick<WorkSettingsService, 'get'>
    trust: Pick<TrustService, 'get'>
  },
  root: string,
  workId: string,
): FolderChecks {
  const runs = () => KeptRuns.parse(store.works.getState(workId, keptRunsKey) ?? {})
  const lines = (): string[] =>
    workSettings.get(workId).changeChecks.flatMap(({ line, isOn }) => (isOn ? line : []))
  return {
    lines: () => (trust.get(root).isTrusted ? lines() : []),
    known: (line) => runs()[line] ?? null,
    keep(line, { isPassed, lines: found }) {
      const chosen = workSettings.get(workId).changeChecks.map((check) => check.line)
      const kept = Object.entries(runs()).filter(([known]) => chosen.includes(known))
      store.works.setState(workId, keptRunsKey, {
        ...Object.fromEntries(kept),
        [line]: { isPassed, lines: [...found] },
      })
    },
  }
}

/** A command that has ended. `exitCode` is null where it did not end by itself. */
type EndedCommand = { line: string; exitCode: number | null; output: string }

/**
 * The result of a run of a check. `known`: it failed only with problems that an earlier run had too. `unknown`: the
 * command could not be run. `lines` are the new problems; `isCompared` is false where there was no earlier run.
 */
export type CheckFinding =
  | { kind: 'passed' | 'known' | 'unknown' }
  | { kind: 'new'; lines: string[]; isCompared: boolean }

/** Exit codes of a shell that cannot run a command. */
const notRunnable: readonly number[] = [126, 127]

/** Decides which checks are due in a turn, and which of their problems the turn has caused. */
export class TurnChecks {
  readonly #folder: FolderChecks
  #hasChanged = false
  /** The checks that have run since the last change. */
  readonly #ran = new Set<string>()
  /** The last runs before this turn's first change. */
  readonly #before = new Map<string, CheckRun | null>()

  constructor(folder: FolderChecks) {
    this.#folder = folder
  }

  beginTurn(): void {
    this.#hasChanged = false
    this.#ran.clear()
    this.#before.clear()
  }

  /** Notes that files were changed. */
  changed(): void {
    if (!this.#hasChanged)
      for (const line of this.#folder.lines()) this.#before.set(line, this.#folder.known(line))
    this.#hasChanged = true
    this.#ran.clear()
  }

  isCheck(line: string): boolean {
    return this.#folder.lines().includes(line)
  }

  /**
   * Notes that a command ran, which may have changed files that checks read. `isWhole`: it ran in the folder itself, not
   * below it, and not in the background; only such a run counts as a check with the same line.
   */
  commandEnded(command: EndedCommand, isWhole: boolean): void {
    if (isWhole && this.isCheck(command.line)) this.checked(command)
    else if (this.#hasChanged) this.#ran.clear()
  }

  /** Returns the checks that have not run since the last change; none in a turn without changes. */
  due(): readonly string[] {
    return this.#hasChanged ? this.#folder.lines().filter((line) => !this.#ran.has(line)) : []
  }

  /** Marks a check as done until the next change. */
  settle(line: string): void {
    this.#ran.add(line)
  }

  /** Notes that a check has run, and returns its result. */
  checked({ line, exitCode, output }: EndedCommand): CheckFinding {
    this.settle(line)
    if (exitCode === null || notRunnable.includes(exitCode)) return { kind: 'unknown' }
    const before = this.#before.get(line) ?? null
    const lastLines = output
      .split('\n')
      .map(comparable)
      .filter((one) => one !== '')
      .slice(-limitLines)
    this.#folder.keep(line, { isPassed: exitCode === 0, lines: lastLines })
    if (exitCode === 0) return { kind: 'passed' }
    const lines = newProblems(output, before)
    return lines.length === 0 ? { kind: 'known' } : { kind: 'new', lines, isCompared: before !== null }
  }
}

/** Maximum number of lines of a run that are kept for comparison with the next one. */
const limitLines = 2_000
/** Units: UTF-16 code units. */
const limitLineLength = 300

/** Key under which a work's state keeps the last runs of its checks. */
export const keptRunsKey = 'check-runs'

/** The output of one run of a check, kept to be compared with the next run. `isPassed`: the exit code was 0. */
export type CheckRun = { isPassed: boolean; lines: readonly string[] }

/**
 * Returns the lines of a failed run that the run before it did not have, each as often as it is new.
 *
 * Shape: all lines where nothing is known of an earlier run. An empty list means that the earlier run failed likewise.
 */
function newProblems(output: string, before: CheckRun | null): string[] {
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

/** Returns a line without numbers and surplus spaces; empty where it has no letter. */
function comparable(line: string): string {
  const plain = line
    .slice(0, limitLineLength)
    .replace(/\d+(?:[.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
  return /\p{L}/u.test(plain) ? plain : ''
}

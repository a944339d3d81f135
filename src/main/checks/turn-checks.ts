import { type CheckRun, checkRunOf, newProblems } from './new-problems.ts'

/** The checks of one folder. */
export type FolderChecks = {
  /** The checks that are on; none while the folder is not trusted. */
  lines(): readonly string[]
  /** The last run of a check that was carried out; null where none is known. */
  known(line: string): CheckRun | null
  keep(line: string, run: CheckRun): void
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

  /** The checks that have not run since the last change; none in a turn without changes. */
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
    this.#folder.keep(line, checkRunOf(output, exitCode === 0))
    if (exitCode === 0) return { kind: 'passed' }
    const lines = newProblems(output, before)
    return lines.length === 0 ? { kind: 'known' } : { kind: 'new', lines, isCompared: before !== null }
  }
}

import type {
  CallItem,
  GateConversationItem,
  SessionItem,
} from '../../../shared/domain/session/session-item.ts'
import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'

/**
 * Outcome of a turn that is over.
 *
 * Units: lines of files; tests. Shape: `changes` counts the calls that changed files; lines are added up over them, so
 * where `isRepeated` a file was changed more than once and only its texts tell how many lines differ.
 */
export type TurnOutcome = {
  steps: number
  files: number
  addedLines: number
  removedLines: number
  changes: number
  isRepeated: boolean
  /** Counts of the last command that ran tests. */
  tests: { passed: number; failed: number } | null
  /** Exit code of the last command, where it failed and reported no tests. */
  exitCode: number | null
}

/**
 * True for an item that is folded once its turn is over. A call that offers the user something stays in sight, and so
 * does everything that the user declined.
 */
export function isStep(item: SessionItem): boolean {
  if (item.kind === 'call') return item.offer === undefined
  if (item.kind === 'gate') return item.state === 'approved' || item.state === 'withdrawn'
  return item.kind === 'decision'
}

/** Returns the approved gates that need no line, since the rows of their calls show them. */
export function gatesInCalls(items: readonly SessionItem[]): ReadonlyMap<string, GateConversationItem> {
  const calls = new Set(items.flatMap((item) => (item.kind === 'call' ? [item.callId] : [])))
  const found = new Map<string, GateConversationItem>()
  for (const item of items) {
    if (item.kind !== 'gate' || item.state !== 'approved') continue
    if (!item.gate.calls.every(({ callId }) => calls.has(callId))) continue
    for (const { callId } of item.gate.calls) found.set(callId, item)
  }
  return found
}

/** Computes the outcome of a turn; null where it has called no tool. */
export function turnOutcome(items: readonly SessionItem[]): TurnOutcome | null {
  const calls = items.filter((item): item is CallItem => item.kind === 'call' && isStep(item))
  if (calls.length === 0) return null
  const changing = calls.filter((call) => changedFiles(call).length > 0)
  const changed = changing.flatMap(changedFiles)
  const files = new Set(changed.map(pathNow)).size
  const tests = calls.map((call) => testsOf(call)).findLast((one) => one !== null) ?? null
  const last = calls.findLast(({ view }) => view?.kind === 'command')?.view
  const exitCode = last?.kind === 'command' && last.end === 'exited' ? last.exitCode : null
  return {
    steps: calls.length,
    files,
    addedLines: changed.reduce((sum, { addedLines }) => sum + addedLines, 0),
    removedLines: changed.reduce((sum, { removedLines }) => sum + removedLines, 0),
    changes: changing.length,
    isRepeated: changed.length > files,
    tests,
    exitCode: tests === null && exitCode !== 0 ? exitCode : null,
  }
}

/** The files that a call has changed, also a command that ran in a copy of the folder. */
export function changedFiles({ view }: CallItem): readonly ChangedFile[] {
  if (view?.kind === 'change') return view.files
  if (view?.kind !== 'command' || view.sandboxed === undefined || view.sandboxed.isDeclined) return []
  return view.sandboxed.files
}

export function pathNow({ path, to }: ChangedFile): string {
  return to ?? path
}

const counted = /\b(\d{1,7}) (passed|failed)\b/g

/** Counts as node:test writes them, one on each line. */
const countedByNode = /^(?:#|ℹ) (pass|fail) (\d{1,7})$/gm

/** Reads the last line of a command's output that counts tests, as pytest, vitest, jest, cargo or node:test do. */
function testsOf({ view, text }: CallItem): TurnOutcome['tests'] {
  if (view?.kind !== 'command') return null
  const line = text.split('\n').findLast((one) => one.search(counted) >= 0)
  const tests = { passed: 0, failed: 0 }
  if (line === undefined) {
    const found = [...text.matchAll(countedByNode)]
    for (const [, word, count] of found) tests[word === 'pass' ? 'passed' : 'failed'] = Number(count)
    return found.length === 0 ? null : tests
  }
  for (const [, count, word] of line.matchAll(counted)) tests[word as 'passed' | 'failed'] = Number(count)
  return tests
}

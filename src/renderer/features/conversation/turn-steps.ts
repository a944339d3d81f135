import type { GateConversationItem, SessionItem } from '../../../shared/domain/session/session-item.ts'

/** What a turn that is over has come to. Units: lines of files; tests. */
export type TurnOutcome = {
  steps: number
  files: number
  addedLines: number
  removedLines: number
  /** As the last command that ran tests has told. */
  tests: { passed: number; failed: number } | null
  /** Of the last command, where it failed and told of no tests. */
  exitCode: number | null
}

type CallItem = Extract<SessionItem, { kind: 'call' }>

/**
 * True for what is folded once its turn is over. A call that offers the user something stays in sight, and so does
 * what the user declined.
 */
export function isStep(item: SessionItem): boolean {
  if (item.kind === 'call') return item.offer === undefined
  if (item.kind === 'gate') return item.state === 'approved' || item.state === 'withdrawn'
  return item.kind === 'decision'
}

/** The approved gates that need no line: the rows of their calls tell of them. */
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

/** Null where the turn has called no tool. */
export function turnOutcome(items: readonly SessionItem[]): TurnOutcome | null {
  const calls = items.filter((item): item is CallItem => item.kind === 'call' && isStep(item))
  if (calls.length === 0) return null
  const changed = calls.flatMap(({ view }) => (view?.kind === 'change' ? view.files : []))
  const tests = calls.map((call) => testsOf(call)).findLast((one) => one !== null) ?? null
  const last = calls.findLast(({ view }) => view?.kind === 'command')?.view
  const exitCode = last?.kind === 'command' && last.end === 'exited' ? last.exitCode : null
  return {
    steps: calls.length,
    files: new Set(changed.map(({ path, to }) => to ?? path)).size,
    addedLines: changed.reduce((sum, { addedLines }) => sum + addedLines, 0),
    removedLines: changed.reduce((sum, { removedLines }) => sum + removedLines, 0),
    tests,
    exitCode: tests === null && exitCode !== 0 ? exitCode : null,
  }
}

const counted = /\b(\d{1,7}) (passed|failed)\b/g

/** The last line of a command's output that counts tests, as pytest, vitest, jest and cargo write it. */
function testsOf({ view, text }: CallItem): TurnOutcome['tests'] {
  if (view?.kind !== 'command') return null
  const line = text.split('\n').findLast((one) => one.search(counted) >= 0)
  if (line === undefined) return null
  const tests = { passed: 0, failed: 0 }
  for (const [, count, word] of line.matchAll(counted)) tests[word as 'passed' | 'failed'] = Number(count)
  return tests
}

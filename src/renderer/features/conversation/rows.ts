import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type {
  CallItem,
  GateConversationItem,
  SessionItem,
} from '../../../shared/domain/session/session-item.ts'
import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import { isSpeed } from '../../../shared/i18n/figure-text.ts'
import { uncoveredCalls } from '../../../shared/text/uncovered-calls.ts'

/** The cost of a turn, over all of its requests. Units: tokens, ms; tokens per second of the last answer. */
export type TurnFigures = {
  promptTokens: number
  reusedTokens: number | null
  completionTokens: number
  tokensPerSecond: number | null
  msTotal: number
  isExact: boolean
}

/**
 * A line of the list: an item, the outcome of the steps of a finished turn, a file that they changed, or the foot of
 * the turn.
 *
 * Shape: `gate` is the approved gate of a call. `calls` are those of the turn that changed the file, `changes` counts
 * all calls of the turn that changed files.
 */
export type Row =
  | { key: string; kind: 'item'; item: SessionItem; gate: GateConversationItem | null }
  | {
      key: string
      kind: 'file'
      turn: number
      path: string
      calls: CallItem[]
      isAllowed: boolean
      changes: number
    }
  | { key: string; kind: 'outcome'; turn: number; outcome: TurnOutcome; isOpen: boolean }
  | {
      key: string
      kind: 'foot'
      turn: number
      figures: TurnFigures | null
      answer: string
      commands: string[]
    }

/** True for an item that tells the reader nothing: it is for the log, or another item says the same. */
function isHidden(item: SessionItem, asked: ReadonlySet<string>): boolean {
  if (item.kind === 'notice') return item.notice.kind === 'ignored'
  if (item.kind !== 'call' || item.tool !== 'ask_user') return false
  // Its question has a card of its own; one that could not be asked has none.
  return asked.has(item.callId) || item.state === 'waiting' || item.state === 'asked'
}

/**
 * Returns the lines of a conversation. `isTurnOpen`: the last turn has no foot yet. The steps of a turn that is over,
 * with what the model said between them, are one line, unless `openTurns` has the turn.
 */
export function rowsOf(
  items: readonly SessionItem[],
  isTurnOpen: boolean,
  openTurns: ReadonlySet<number> = new Set(),
): Row[] {
  const rows: Row[] = []
  const lastTurn = items.at(-1)?.turn ?? 0
  const asked = new Set(items.flatMap((item) => (item.kind === 'question' ? [item.callId] : [])))
  const gates = gatesInCalls(items)
  const told = new Set([...gates.values()].map(({ itemId }) => itemId))
  let from = 0
  items.forEach((last, index) => {
    if (last.turn === items[index + 1]?.turn) return
    const turn = items.slice(from, index + 1)
    from = index + 1
    const isOver = last.turn < lastTurn || !isTurnOpen
    const shown = turn.filter((item) => !isHidden(item, asked) && !told.has(item.itemId))
    const outcome = isOver ? turnOutcome(shown) : null
    const isOpen = openTurns.has(last.turn)
    const firstStep = shown.findIndex(isStep)
    const reply = shown.findLastIndex((item) => item.kind === 'answer' && item.purpose === 'reply')
    for (const [at, item] of shown.entries()) {
      if (outcome && at === firstStep)
        rows.push({ key: `steps-${last.turn}`, kind: 'outcome', turn: last.turn, outcome, isOpen })
      const isInterim = item.kind === 'answer' && item.purpose === 'work' && at > firstStep && at < reply
      if (outcome && !isOpen && (isStep(item) || isInterim)) continue
      const gate = item.kind === 'call' ? (gates.get(item.callId) ?? null) : null
      const isFiles = outcome && item.kind === 'call' && item.view?.kind === 'change'
      if (!isFiles) rows.push({ key: item.itemId, kind: 'item', item, gate })
      if (outcome && item.kind === 'call') rows.push(...fileRows(item, shown, outcome.changes, gates))
    }
    if (last.turn > 0 && isOver && turn.some((one) => one.kind !== 'user' && one.kind !== 'file'))
      rows.push(footOf(last.turn, turn))
  })
  return rows
}

/** Returns the files that a call was the first of its turn to change; all edits of one file are one line. */
function fileRows(
  item: CallItem,
  turn: readonly SessionItem[],
  changes: number,
  gates: ReadonlyMap<string, GateConversationItem>,
): Row[] {
  const calls = turn.filter((one): one is CallItem => one.kind === 'call')
  return [...new Set(changedFiles(item).map(pathNow))].flatMap((path): Row[] => {
    const own = calls.filter((call) => changedFiles(call).some((file) => pathNow(file) === path))
    if (own[0] !== item) return []
    const isAllowed = own.some(({ callId }) => gates.has(callId))
    const key = `file-${item.turn}-${path}`
    return [{ key, kind: 'file', turn: item.turn, path, calls: own, isAllowed, changes }]
  })
}

function footOf(turn: number, items: readonly SessionItem[]): Row {
  const answer = items.findLast((item) => item.kind === 'answer')
  return {
    key: `foot-${turn}`,
    kind: 'foot',
    turn,
    figures: turnFigures(items),
    answer: answer?.kind === 'answer' ? answer.text : '',
    commands: uncoveredCalls(items),
  }
}

export function turnFigures(items: readonly SessionItem[]): TurnFigures | null {
  const usages = items.flatMap((item): ModelUsage[] =>
    (item.kind === 'answer' || item.kind === 'decision') && item.usage ? [item.usage] : [],
  )
  const last = usages.at(-1)
  if (!last) return null
  const sum = (read: (usage: ModelUsage) => number) => usages.reduce((total, one) => total + read(one), 0)
  return {
    promptTokens: sum((one) => one.promptTokens),
    reusedTokens: usages.some((one) => one.reusedTokens === null)
      ? null
      : sum((one) => one.reusedTokens ?? 0),
    completionTokens: sum((one) => one.completionTokens),
    tokensPerSecond: isSpeed(last.tokensPerSecond) ? last.tokensPerSecond : null,
    msTotal: sum((one) => one.msTotal),
    isExact: usages.every((one) => one.isExact),
  }
}

/** First guesses of the heights of lines, until they are measured. Units: CSS pixels. */
const heights: Record<Exclude<SessionItem['kind'], 'answer'>, number> = {
  user: 60,
  gate: 320,
  call: 30,
  question: 120,
  error: 90,
  file: 32,
  decision: 32,
  notice: 32,
  compaction: 32,
  undo: 32,
  folder: 32,
}

export function estimatedHeight(row: Row | undefined): number {
  if (row?.kind !== 'item') return 36
  const { item } = row
  return item.kind === 'answer' ? 40 + Math.ceil(item.text.length / 46) * 25 : heights[item.kind]
}

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

/** True for an item that is folded after its turn. What offers something, or was declined, stays in sight. */
function isStep(item: SessionItem): boolean {
  if (item.kind === 'call') return item.offer === undefined
  if (item.kind === 'gate') return item.state === 'approved' || item.state === 'withdrawn'
  return item.kind === 'decision'
}

/** Returns the approved gates that need no line, since the rows of their calls show them. */
function gatesInCalls(items: readonly SessionItem[]): ReadonlyMap<string, GateConversationItem> {
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

/** Returns the files that a call has changed, also a command that ran in a copy of the folder. */
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

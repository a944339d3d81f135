import type { GateCall, GateDiff, GateFile, GateView } from '../../../../src/shared/domain/session/gate.ts'
import { SandboxHindrance } from '../../../../src/shared/domain/session/sandbox.ts'
import { diffHunks } from '../../../../src/shared/text/difference/hunks.ts'

/** What a gate asks and the texts behind it. */
export type Scene = { gates: GateView[]; diffs: (GateDiff & { callId?: string })[] }

export const oldDate = `import { parts } from './parts.ts'

const monthsOfYear = 12

/** Days of a month, from 1. */
export function daysOf(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

// Every fourth year.
export function isLeap(year: number): boolean {
  return year % 4 === 0
}

export function isDate(text: string): boolean {
  const found = parts(text)
  if (found === null) return false
  const { year, month, day } = found
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(month, year)
}
`

export const newDate = oldDate
  .replace('// Every fourth year.\n', '// Every fourth year, but not every hundredth.\n')
  .replace('return year % 4 === 0', 'return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)')
  .replace('const monthsOfYear = 12', 'const lastMonth = 12')
  .replace('month <= 12', 'month <= lastMonth')

/** As the host counts: a file of a gate from its texts. */
export function fileOf({ path, oldText, newText }: GateDiff, change: Partial<GateFile> = {}): GateFile {
  const hunks = diffHunks(oldText ?? '', newText ?? '')
  return {
    path,
    to: null,
    action: oldText === null ? 'create' : newText === null ? 'delete' : 'edit',
    addedLines: hunks.reduce((sum, hunk) => sum + hunk.newLines.length, 0),
    removedLines: hunks.reduce((sum, hunk) => sum + hunk.oldLines.length, 0),
    hunks: hunks.length,
    sizeBytes: Math.max(oldText?.length ?? 0, newText?.length ?? 0),
    ...change,
  }
}

export function callOf(change: Partial<GateCall>): GateCall {
  return {
    callId: 'call-1',
    tool: 'edit',
    hash: 'hash-1',
    intent: '閏年の判定を正しくする',
    reason: '100 年の例外がない',
    isReasonFromDecision: false,
    alternatives: ['標準の Date に任せる（遅い）'],
    risk: { level: 'low', reasons: [] },
    patterns: ['src/*.ts'],
    files: [],
    command: null,
    reads: [],
    plan: null,
    ...change,
  }
}

export function gateOf(calls: GateCall[], change: Partial<GateView> = {}): GateView {
  return {
    gateId: 'gate-1',
    kind: 'calls',
    calls,
    risk: calls[0]?.risk ?? { level: 'low', reasons: [] },
    ...change,
  }
}

const date: GateDiff = { path: 'src/date.ts', oldText: oldDate, newText: newDate }
const test: GateDiff = {
  path: 'test/date.test.ts',
  oldText: null,
  newText:
    "import { isLeap } from '../src/date.ts'\n\ntest('1900', () => expect(isLeap(1900)).toBe(false))\n",
}

/** A line with a terminal escape, a text turned around and a joiner that hides. */
export const hidingCommand = 'npm test && rm -rf build\u202e #tsil\u2066 \u001b[2K && git\u200b push'

function commandCall(): GateCall {
  return callOf({
    tool: 'run_command',
    intent: 'テストを走らせる',
    reason: '直した判定を確かめる',
    alternatives: [],
    patterns: [],
    command: {
      line: hidingCommand,
      folder: '.',
      parts: ['npm test', 'rm -rf build\u202e'],
      isBackground: false,
    },
    risk: {
      level: 'high',
      reasons: [
        { code: 'destructive', detail: 'rm' },
        { code: 'network', detail: 'git push' },
      ],
    },
  })
}

/** Five megabytes of which each hundredth line changes. */
function largeDiff(): GateDiff {
  const lines = Array.from({ length: 80_000 }, (_, at) => `export const value${at} = '${'x'.repeat(40)}'`)
  const changed = lines.map((line, at) => (at % 400 === 7 ? line.replace('const', 'let') : line))
  return { path: 'src/values.ts', oldText: `${lines.join('\n')}\n`, newText: `${changed.join('\n')}\n` }
}

export const scenes: Record<string, () => Scene> = {
  edit: () => ({ gates: [gateOf([callOf({ files: [fileOf(date)] })])], diffs: [date] }),
  twice: () => {
    const between = oldDate.replace('const monthsOfYear = 12', 'const lastMonth = 12')
    const first = { ...date, newText: between, callId: 'call-1' }
    const second = { ...date, oldText: between, callId: 'call-2' }
    return {
      gates: [
        gateOf([
          callOf({ intent: '定数に名前を付ける', reason: '', alternatives: [], files: [fileOf(first)] }),
          callOf({ callId: 'call-2', hash: 'hash-2', alternatives: [], files: [fileOf(second)] }),
        ]),
      ],
      diffs: [first, second],
    }
  },
  calls: () => ({
    gates: [
      gateOf([
        callOf({
          callId: 'call-test',
          hash: 'hash-test',
          tool: 'write_file',
          intent: '1900 年のテストを足す',
          isReasonFromDecision: true,
          alternatives: [],
          files: [fileOf(test)],
        }),
        callOf({ files: [fileOf(date)] }),
      ]),
    ],
    diffs: [date, test],
  }),
  command: () => ({ gates: [gateOf([commandCall()])], diffs: [] }),
  /** A command for each reason that its copy can give for running it outside. */
  hindered: () => {
    const calls = SandboxHindrance.options.map((sandbox) =>
      callOf({
        callId: sandbox,
        hash: sandbox,
        tool: 'run_command',
        intent: 'npm ci',
        alternatives: [],
        patterns: [],
        sandbox,
        command: { line: 'npm ci', folder: '.', parts: ['npm ci'], isBackground: false },
      }),
    )
    return { gates: [gateOf(calls)], diffs: [] }
  },
  quiet: () => ({
    gates: [
      gateOf([
        callOf({
          tool: 'run_command',
          patterns: ['npm test *'],
          risk: { level: 'medium', reasons: [{ code: 'command', detail: 'npm test' }] },
          command: {
            line: 'npm test -- date',
            folder: '.',
            parts: ['npm test -- date'],
            isBackground: false,
          },
        }),
      ]),
    ],
    diffs: [],
  }),
  effects: () => {
    const script: GateDiff = { path: 'run.sh', oldText: 'npm test\n', newText: 'npm test\n' }
    const made = { ...test, path: 'build.sh' }
    const files = [fileOf(script, { mode: 0o755 }), fileOf(made, { mode: 0o755 }), fileOf(date)]
    const effects = { ignored: [], conflicts: [], left: [] }
    return {
      gates: [gateOf([callOf({ intent: 'python3 prepare.py', files, effects })], { kind: 'effects' })],
      diffs: [script, made, date],
    }
  },
  queue: () => ({
    gates: [gateOf([callOf({ files: [fileOf(date)] })]), gateOf([commandCall()], { gateId: 'gate-2' })],
    diffs: [date],
  }),
  large: () => {
    const large = largeDiff()
    return { gates: [gateOf([callOf({ files: [fileOf(large)] })])], diffs: [large] }
  },
  plan: () => ({
    gates: [
      gateOf(
        [
          callOf({
            tool: 'propose_plan',
            patterns: [],
            plan: {
              purpose: '閏年の判定を直す',
              steps: ['テストを足す', '判定を直す', 'テストを走らせる'],
              successCriteria: '1900 年が平年になる',
            },
            risk: { level: 'high', reasons: [{ code: 'plan', detail: '' }] },
          }),
        ],
        { kind: 'plan' },
      ),
    ],
    diffs: [],
  }),
}

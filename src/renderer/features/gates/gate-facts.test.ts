import { describe, expect, it } from 'vitest'
import { ItemMaker } from '../../../../tests/fakes/window-host/session-fixtures.ts'
import type { GateCall, GateFile, GateView } from '../../../shared/domain/session/gate.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { newGateChoices, placeKey } from '../../state/slices/session/gates-slice.ts'
import {
  approvedPart,
  fileTotals,
  gateAnswer,
  gateSubject,
  gateTitle,
  isChosen,
  isSubjectOnly,
  refusedCalls,
  refusedPlaces,
  rememberedPatterns,
  riskWords,
} from './gate-facts.ts'

function fileOf(path: string, change: Partial<GateFile> = {}): GateFile {
  return {
    path,
    to: null,
    action: 'edit',
    addedLines: 2,
    removedLines: 1,
    hunks: 3,
    sizeBytes: 90,
    ...change,
  }
}

function callOf(callId: string, change: Partial<GateCall>): GateCall {
  return {
    callId,
    tool: 'edit',
    hash: `hash-${callId}`,
    intent: '',
    reason: '',
    isReasonFromDecision: false,
    alternatives: [],
    risk: { level: 'low', reasons: [] },
    patterns: ['src/**'],
    files: [],
    command: null,
    reads: [],
    plan: null,
    ...change,
  }
}

function gateOf(calls: GateCall[], kind: GateView['kind'] = 'calls'): GateView {
  return { gateId: 'gate-1', kind, calls, risk: { level: 'low', reasons: [] } }
}

const command = (line: string) => ({ line, folder: '.', parts: [line], isBackground: false })
const edit = callOf('a', { files: [fileOf('src/date.ts')] })
const run = callOf('b', { tool: 'run_command', command: command('npm test\n--watch') })

describe('what a gate says of itself', () => {
  it.each([
    ['gate.title.edit', [edit]],
    ['gate.title.delete', [callOf('a', { files: [fileOf('a', { action: 'delete' })] })]],
    ['gate.title.change', [edit, callOf('c', { files: [fileOf('b', { action: 'create' })] })]],
    ['gate.title.command', [run]],
    ['gate.title.commands', [run, callOf('c', { command: command('ls') })]],
    ['gate.title.read', [callOf('a', { reads: ['.env'] })]],
    ['gate.title.mixed', [edit, run]],
  ])('%s', (key, calls) => {
    expect(gateTitle(gateOf(calls)).key).toBe(key)
  })

  it('does not count a call that was refused among those that were allowed', () => {
    const gate = gateOf([edit, callOf('c', { files: [fileOf('a.ts')] }), run])
    const make = new ItemMaker()
    const refused = { ...make.call(1, 'edit', 'a.ts'), callId: 'c', outcome: 'rejected' } as SessionItem
    const other = { ...make.call(1, 'edit', 'b.ts'), callId: 'elsewhere', outcome: 'rejected' } as SessionItem
    expect(refusedCalls(gate, [refused, other])).toEqual(['c'])
    expect(gateSubject(approvedPart(gate, ['c']))).toEqual({ first: 'src/date.ts', more: 1 })
    expect(gateSubject(approvedPart(gate, []))).toEqual({ first: 'src/date.ts', more: 2 })
  })

  it('says that a command cannot be parsed only where none of its parts is known', () => {
    expect(riskWords(run, 'unparsed')).toBe('risk.unsure')
    expect(riskWords({ command: { ...command('echo "'), parts: [] } }, 'unparsed')).toBe('risk.unparsed')
    expect(riskWords(run, 'network')).toBe('risk.network')
  })

  it('counts a file that two calls change once', () => {
    const twice = gateOf([edit, callOf('c', { files: [fileOf('src/date.ts')] })])
    expect(gateTitle(twice)).toEqual({ key: 'gate.title.edit', values: { count: 1 } })
    expect(fileTotals(twice.calls)).toEqual({ files: 1, added: 4, removed: 2 })
    expect(gateSubject(twice)).toEqual({ first: 'src/date.ts', more: 0 })
  })

  it('counts ignored files that an acceptance writes or removes', () => {
    const ignored = [{ top: 'dist', files: 2, removed: 1, sizeBytes: 9, leadsOut: false }]
    const effects = { ignored, conflicts: [], left: [] }
    const title = (calls: GateCall[]) => gateTitle(gateOf(calls, 'apply'))
    expect(title([callOf('a', { effects })])).toEqual({ key: 'gate.title.apply', values: { count: 3 } })
    expect(title([{ ...edit, effects }]).values).toEqual({ count: 4 })
  })

  it('names the first thing in one line and how many more there are', () => {
    expect(gateSubject(gateOf([run]))).toEqual({ first: 'npm test', more: 0 })
    expect(gateSubject(gateOf([edit, run]))).toEqual({ first: 'src/date.ts', more: 1 })
  })

  it('tells an intent from a title that only names the subject', () => {
    expect(isSubjectOnly({ ...edit, intent: 'src/date.ts' })).toBe(true)
    expect(isSubjectOnly({ ...edit, intent: '閏年の判定を直す' })).toBe(false)
    expect(isSubjectOnly({ ...run, intent: 'npm test…' })).toBe(true)
    expect(isSubjectOnly({ ...run, intent: 'テストを走らせる' })).toBe(false)
  })

  it('offers to remember only where every call may be', () => {
    expect(rememberedPatterns(gateOf([edit, run]))).toEqual(['src/**'])
    expect(rememberedPatterns(gateOf([edit, { ...run, patterns: [] }]))).toBeNull()
    const tops = { ...run, patterns: ['dist/**', 'node_modules/**'] }
    expect(rememberedPatterns(gateOf([tops], 'effects'))).toEqual(tops.patterns)
    expect(rememberedPatterns(gateOf([edit], 'plan'))).toBeNull()
  })
})

describe('an answer', () => {
  const gate = gateOf([edit, run])
  const key = placeKey('a', 'src/date.ts')
  const choices = newGateChoices(gate)
  const yes = { verdict: 'approve', remember: null, sincePaintedMs: 900 } as const

  it('names the hash of what was shown and the places that are refused', () => {
    const answer = gateAnswer(gate, { ...choices, refused: { [key]: [0, 2] } }, yes)
    expect(answer.answers).toEqual([
      {
        callId: 'a',
        shownHash: 'hash-a',
        isApproved: true,
        refusedHunks: [{ path: 'src/date.ts', hunks: [0, 2] }],
      },
      { callId: 'b', shownHash: 'hash-b', isApproved: true, refusedHunks: [] },
    ])
    expect(refusedPlaces(gate, { ...choices, refused: { [key]: [0, 2] } })).toEqual([
      { callId: 'a', path: 'src/date.ts', numbers: [1, 3], isAll: false },
    ])
  })

  it('refuses a call of which no place remains, or which is left out', () => {
    const all = { ...choices, refused: { [key]: [0, 1, 2] } }
    expect(isChosen(edit, all)).toBe(false)
    expect(gateAnswer(gate, all, yes).answers.map((one) => one.isApproved)).toEqual([false, true])
    const left = { ...choices, leftOut: ['b'] }
    expect(gateAnswer(gate, left, yes).answers.map((one) => one.isApproved)).toEqual([true, false])
  })

  it('takes a file without places (moved, binary) as a whole', () => {
    const moved = callOf('m', { files: [fileOf('a', { action: 'move', to: 'b', hunks: 0 })] })
    expect(isChosen(moved, newGateChoices(gateOf([moved])))).toBe(true)
  })

  it('a refusal approves nothing and carries the reason', () => {
    const answer = gateAnswer(
      gate,
      { ...choices, reason: ' 標準のほうがよい ' },
      { ...yes, verdict: 'refuse' },
    )
    expect(answer.answers.some((one) => one.isApproved)).toBe(false)
    expect(answer.reason).toBe('標準のほうがよい')
    expect(gateAnswer(gate, { ...choices, reason: '  ' }, { ...yes, verdict: 'refuse' }).reason).toBeNull()
  })
})

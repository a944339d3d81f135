import { describe, expect, it } from 'vitest'
import { ItemMaker } from '../../../../tests/fakes/window-host/session-fixtures.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { turnOutcome } from './turn-steps.ts'

const make = new ItemMaker()
const command = { kind: 'command', line: '', commandId: '', signal: null, isCut: false } as const
const ran = (text: string, exitCode = 0): SessionItem => {
  const view = { ...command, end: 'exited', exitCode, durationMs: 1 } as const
  return make.call(1, 'run_command', 'npm test', { text, view })
}
const changed = (path: string, addedLines: number, removedLines: number): SessionItem => {
  const file = { path, to: null, action: 'edit' as const, addedLines, removedLines }
  const view = { kind: 'change' as const, files: [file], changeSetId: 'c', refusedHunks: 0 }
  return make.call(1, 'edit', path, { view })
}

describe('what a turn has come to', () => {
  it('is nothing where no tool was called', () => {
    expect(turnOutcome([make.user(1, 'a'), make.decision(1, 'b'), make.answer(1, 'c')])).toBeNull()
  })

  it('counts a file once, however often it was changed', () => {
    const items = [changed('a.ts', 3, 1), changed('a.ts', 2, 0), changed('b.ts', 6, 0)]
    const files = { steps: 3, files: 2, addedLines: 11, removedLines: 1, changes: 3, isRepeated: true }
    expect(turnOutcome(items)).toMatchObject(files)
  })

  it('counts what a command changed that ran in a copy of the folder, unless it was declined', () => {
    const file = { path: 'a.ts', to: null, action: 'edit' as const, addedLines: 2, removedLines: 1 }
    const sandboxed = { files: [file], ignored: [], left: [], changeSetId: 's', isDeclined: false }
    const view = { ...command, end: 'exited', exitCode: 0, durationMs: 1, sandboxed } as const
    const run = make.call(1, 'run_command', 'fmt', { view })
    const lines = { files: 1, addedLines: 2, removedLines: 1, isRepeated: false }
    expect(turnOutcome([run])).toMatchObject(lines)
    const declined = { ...view, sandboxed: { ...sandboxed, isDeclined: true } }
    expect(turnOutcome([make.call(1, 'run_command', 'fmt', { view: declined })])?.files).toBe(0)
  })

  it.each([
    ['pytest', '===== 54 passed in 0.31s =====', { passed: 54, failed: 0 }],
    ['pytest', '==== 2 failed, 52 passed in 0.31s ====', { passed: 52, failed: 2 }],
    ['vitest', ' Test Files  2 passed (2)\n      Tests  54 passed (54)\n', { passed: 54, failed: 0 }],
    ['jest', 'Tests:       1 failed, 54 passed, 55 total\nTime: 1 s', { passed: 54, failed: 1 }],
    ['cargo', 'test result: ok. 54 passed; 0 failed; 0 ignored', { passed: 54, failed: 0 }],
    ['node:test', '# tests 2\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0', { passed: 1, failed: 1 }],
    ['node:test in a terminal', 'ℹ tests 3\nℹ pass 3\nℹ fail 0\nℹ duration_ms 9', { passed: 3, failed: 0 }],
    ['no tests', 'built in 3 s', null],
  ])('reads what %s writes', (_, text, tests) => {
    expect(turnOutcome([ran('1 passed'), ran(text)])?.tests).toEqual(tests ?? { passed: 1, failed: 0 })
    expect(turnOutcome([ran(text)])?.tests).toEqual(tests)
  })

  it('tells how the last command failed where no tests were counted', () => {
    expect(turnOutcome([ran('', 2)])?.exitCode).toBe(2)
    expect(turnOutcome([ran('', 2), ran('')])?.exitCode).toBeNull()
    expect(turnOutcome([ran('1 failed', 1)])?.exitCode).toBeNull()
  })
})

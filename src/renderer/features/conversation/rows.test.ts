import { describe, expect, it } from 'vitest'
import { fixtureGate, fixtureUsage, ItemMaker } from '../../../../tests/fakes/window-host/session-fixtures.ts'
import { AgentFailure, CallOutcome } from '../../../shared/domain/session/agent-notice.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { createTranslate, isMessageKey } from '../../../shared/i18n/translate.ts'
import { callSummary, callTitle, canAskAgain, namedArgs, noticeText } from './cards/item-words.ts'
import { rowsOf, turnFigures, turnOutcome } from './rows.ts'

const make = new ItemMaker()
const t = createTranslate('en')
const keys = (items: SessionItem[], isTurnOpen = false) =>
  rowsOf(items, isTurnOpen).map((row) => (row.kind === 'item' ? row.item.kind : row.key))

describe('a turn that has failed', () => {
  const failed = make.error(2)
  const turn = [make.user(2, 'go'), failed]
  const quiet = { activity: null, queue: [] }

  it('can be asked for again where it has come to nothing', () => {
    expect(canAskAgain(failed, turn, quiet)).toBe(true)
  })

  it.each([
    ['something has followed', [...turn, make.user(3, 'then this')], quiet],
    ['a tool was called', [make.user(2, 'go'), make.call(2, 'read_file', 'a.txt'), failed], quiet],
    ['it goes on', turn, { ...quiet, activity: { phase: 'reading', progress: null, startedAt: 0 } }],
    ['nothing is known of the session', turn, null],
  ] as const)('can not where %s', (_, items, state) => {
    expect(canAskAgain(failed, items, state)).toBe(false)
  })
})

describe('rowsOf', () => {
  const items = [
    make.user(1, '一'),
    make.decision(1, '答える'),
    make.answer(1, '二'),
    make.notice(1, { kind: 'ignored', event: 'late' }),
    make.user(2, '三'),
  ]

  it('ends each turn with a foot and leaves out what is only for the log', () => {
    expect(keys([...items, make.answer(2, '四')])).toEqual([
      'user',
      'decision',
      'answer',
      'foot-1',
      'user',
      'answer',
      'foot-2',
    ])
  })

  it('has no foot under a turn that goes on, nor under a message without an answer', () => {
    expect(keys([...items, make.answer(2, '四')], true).at(-1)).toBe('answer')
    expect(keys(items).at(-1)).toBe('user')
  })

  it('tells a question once, by its card; what could not be asked stays a call', () => {
    const call = make.call(1, 'ask_user', 'どれ', { state: 'asked' })
    const question = make.question(1, 'どれ', ['a'])
    if (call.kind !== 'call' || question.kind !== 'question') throw new Error('items of another kind')
    const asked = { ...question, callId: call.callId }
    expect(keys([make.user(1, '一'), call], true)).toEqual(['user'])
    expect(keys([make.user(1, '一'), call, asked], true)).toEqual(['user', 'question'])
    const done: SessionItem = { ...call, state: 'refused', outcome: 'stopped' }
    expect(keys([make.user(1, '一'), done, { ...asked, isOpen: false }], true)).toEqual(['user', 'question'])
    expect(keys([make.user(1, '一'), { ...done, outcome: 'invalid' }], true)).toEqual(['user', 'call'])
  })

  it('folds the steps of a turn that is over, and opens them again', () => {
    const call = make.call(1, 'read_file', 'a.txt')
    const turn = [make.user(1, 'go'), make.decision(1, 'look'), call, make.answer(1, 'done')]
    expect(keys(turn, true)).toEqual(['user', 'decision', 'call', 'answer'])
    expect(keys(turn)).toEqual(['user', 'steps-1', 'answer', 'foot-1'])
    const open = rowsOf(turn, false, new Set([1])).map(({ kind }) => kind)
    expect(open).toEqual(['item', 'outcome', 'item', 'item', 'item', 'foot'])
  })

  it('folds what was said between the steps, so that a text before the last change does not read as the reply', () => {
    const said = (text: string): SessionItem => ({ ...make.answer(1, text), purpose: 'work' }) as SessionItem
    const call = (): SessionItem => make.call(1, 'edit', 'a.txt')
    const texts = (items: SessionItem[], open: number[] = []) =>
      rowsOf(items, false, new Set(open)).flatMap((row) =>
        row.kind === 'item' && row.item.kind === 'answer' ? row.item.text : [],
      )
    const begun = [make.user(1, 'go'), said('I look.'), call(), said('Done, I think.'), call()]
    expect(texts([...begun, make.answer(1, 'Done.')])).toEqual(['I look.', 'Done.'])
    expect(texts([...begun, make.answer(1, 'Done.')], [1])).toEqual(['I look.', 'Done, I think.', 'Done.'])
    // Without a reply it is the last that the model has said.
    expect(texts(begun)).toEqual(['I look.', 'Done, I think.'])
  })

  it('tells of an approval in the row of its call, and of a refusal by itself', () => {
    const call = make.call(1, 'run_command', 'npm test')
    if (call.kind !== 'call') throw new Error('another kind')
    const gate = fixtureGate()
    const calls = gate.calls.slice(0, 1).map((one) => ({ ...one, callId: call.callId }))
    const approved = make.gate(1, { ...gate, calls }, { state: 'approved' })
    const rows = rowsOf([make.user(1, 'go'), call, approved], true)
    expect(rows.map((row) => (row.kind === 'item' ? [row.item.kind, row.gate?.state] : []))).toEqual([
      ['user', undefined],
      ['call', 'approved'],
    ])
    expect(keys([make.user(1, 'go'), call, { ...approved, state: 'rejected' } as SessionItem], true)).toEqual(
      ['user', 'call', 'gate'],
    )
  })

  it('has one line for each file of a turn that is over, and one for each edit while it goes on', () => {
    const change = (path: string, to: string | null = null) => {
      const file = { path, to, action: 'edit' as const, addedLines: 1, removedLines: 0 }
      const view = { kind: 'change' as const, files: [file], changeSetId: path, refusedHunks: 0 }
      return make.call(1, 'edit', path, { view })
    }
    const turn = [make.user(1, 'go'), change('a.ts'), change('b.ts'), change('a.ts'), make.answer(1, 'done')]
    expect(keys(turn, true)).toEqual(['user', 'call', 'call', 'call', 'answer'])
    expect(keys(turn)).toEqual(['user', 'steps-1', 'answer', 'foot-1'])
    const open = rowsOf(turn, false, new Set([1]))
    expect(
      open.map((row) => (row.kind === 'file' ? [row.path, row.calls.length, row.changes] : row.kind)),
    ).toEqual(['item', 'outcome', ['a.ts', 2, 3], ['b.ts', 1, 3], 'item', 'foot'])
  })

  it('tells beside a command which files it changed in its copy', () => {
    const command = { kind: 'command', line: 'fmt', commandId: '', signal: null, isCut: false } as const
    const file = { path: 'a.ts', to: null, action: 'edit' as const, addedLines: 2, removedLines: 1 }
    const sandboxed = { files: [file], ignored: [], left: [], changeSetId: 's', isDeclined: false }
    const view = { ...command, end: 'exited' as const, exitCode: 0, durationMs: 1, sandboxed }
    const turn = [make.user(1, 'go'), make.call(1, 'run_command', 'fmt', { view }), make.answer(1, 'done')]
    const open = rowsOf(turn, false, new Set([1])).map((row) =>
      row.kind === 'item' ? row.item.kind : row.kind,
    )
    expect(open).toEqual(['user', 'outcome', 'call', 'file', 'answer', 'foot'])
  })

  it('adds up what a turn cost', () => {
    const usage = { ...fixtureUsage, promptTokens: 100, reusedTokens: 90, completionTokens: 10, msTotal: 500 }
    const turn = [
      { ...make.answer(1, 'a'), usage },
      { ...make.answer(1, 'b'), usage: { ...usage, tokensPerSecond: 20, isExact: false } },
    ] as SessionItem[]
    expect(turnFigures(turn)).toEqual({
      promptTokens: 200,
      reusedTokens: 180,
      completionTokens: 20,
      tokensPerSecond: 20,
      msTotal: 1000,
      isExact: false,
    })
    expect(turnFigures([make.user(1, 'a')])).toBeNull()
    const scripted = { ...make.answer(1, 'b'), usage: { ...usage, tokensPerSecond: 131_000 } } as SessionItem
    expect(turnFigures([scripted])?.tokensPerSecond).toBeNull()
    const unknown = { ...make.answer(1, 'b'), usage: { ...usage, reusedTokens: null } } as SessionItem
    expect(turnFigures([...turn, unknown])?.reusedTokens).toBeNull()
  })
})

describe('words of items', () => {
  it('has words for every failure and every outcome', () => {
    const wanted = [
      ...AgentFailure.options.map((name) => `failure.${name}`),
      ...CallOutcome.options.map((name) => `outcome.${name}`),
    ]
    expect(wanted.filter((key) => !isMessageKey(key))).toEqual([])
  })

  it.each([
    [{ kind: 'step-refused', from: 'PLANNING', to: 'EXECUTION', why: 'spent' }, 'stays at Planning'],
    [{ kind: 'check-failed', check: 'goal', reason: 'off topic' }, 'off topic'],
    [{ kind: 'clipped', item: 'lastDelta' }, 'Change'],
    [{ kind: 'course-proposed', item: 'constraints', value: 'a' }, '“Constraints”: a'],
    [{ kind: 'question-deferred', question: 'which year?' }, 'which year?'],
    [{ kind: 'pattern-proposed', pattern: 'use tabs' }, 'Remember it for this folder? use tabs'],
    [{ kind: 'stale-approval', gateId: 'g' }, 'was not used'],
    [{ kind: 'limit', limit: 'decisions' }, 'Write to go on'],
    [{ kind: 'continue-after-crash' }, 'Go on?'],
  ] as const)('says %j', (notice, words) => expect(noticeText(t, notice)).toContain(words))

  it('sums a call up', () => {
    const call = (change: Parameters<ItemMaker['call']>[3]) => {
      const item = make.call(1, 'run_command', 'npm test', change)
      return item.kind === 'call' ? callSummary(t, item) : ''
    }
    const command = { kind: 'command', line: '', commandId: '', signal: null, isCut: false } as const
    expect(call({ view: { ...command, end: 'exited', exitCode: 0, durationMs: 1200 } })).toBe('1.2 s')
    expect(call({ view: { ...command, end: 'exited', exitCode: 2, durationMs: 1200 } })).toBe('exit code 2')
    expect(call({ view: { ...command, end: 'timeout', exitCode: null, durationMs: 1 } })).toBe('timed out')
    const left = { ...command, end: 'background', exitCode: null, durationMs: 1 } as const
    expect(call({ view: left })).toBe('in the background')
    expect(call({ view: { ...left, ended: { end: 'stopped', exitCode: null } } })).toBe('stopped')
    expect(call({ view: { ...left, ended: { end: 'exited', exitCode: 0 } } })).toBe('ended')
    expect(call({ view: { ...left, ended: { end: 'exited', exitCode: 1 } } })).toBe('ended, exit code 1')
    const exited = { ...command, end: 'exited', durationMs: 1200 } as const
    const changes = call({ state: 'asked', view: { ...exited, exitCode: 0 } })
    expect(changes).toBe('1.2 s · waiting for approval')
    const outside = call({ state: 'asked', view: { ...exited, exitCode: 2 } })
    expect(outside).toBe('exit code 2 · waiting for approval')
    expect(call({ state: 'asked' })).toBe('waiting for approval')
    expect(call({ state: 'refused', outcome: 'denied' })).toBe('blocked by a rule')
    expect(call({ state: 'running' })).toBe('running')
    const file = { path: 'a', to: null, action: 'edit', addedLines: 2, removedLines: 1 } as const
    const change = { kind: 'change' as const, files: [file, file], changeSetId: 'c', refusedHunks: 1 }
    expect(call({ view: change })).toBe('+4 −2 · 1 change declined')
  })

  it('sets arguments out by their names, and leaves what is no JSON', () => {
    expect(namedArgs('{"path":"a","new_text":"b\\nc","todos":[1]}')).toEqual([
      ['path', 'a'],
      ['new_text', 'b\nc'],
      ['todos', '[\n  1\n]'],
    ])
    expect(namedArgs('{"path":')).toBeNull()
    expect(namedArgs('[1]')).toBeNull()
  })

  it('names the folder itself in words', () => {
    const title = (tool: 'list_directory' | 'read_file', text: string) => {
      const item = make.call(1, tool, text)
      return item.kind === 'call' ? callTitle(t, item) : null
    }
    expect(title('list_directory', '.')).toBe('project root')
    expect(title('list_directory', 'src')).toBe('src')
    expect(title('read_file', '.env')).toBe('.env')
  })
})

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

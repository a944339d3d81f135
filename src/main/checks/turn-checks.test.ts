import { describe, expect, it } from 'vitest'
import { WorkSettings } from '../../shared/domain/work/work-settings.ts'
import { type CheckRun, folderChecks, TurnChecks } from './turn-checks.ts'

const line = 'npm test'

function folder() {
  const kept = new Map<string, CheckRun>()
  const checks = new TurnChecks({
    lines: () => [line, 'npm run lint'],
    known: (of) => kept.get(of) ?? null,
    keep: (of, run) => void kept.set(of, run),
  })
  const run = (output: string, exitCode: number | null = 1) => checks.checked({ line, exitCode, output })
  return { checks, run }
}

describe('the checks of a turn', () => {
  it('are due after a change that they have not seen, whoever ran them', () => {
    const { checks, run } = folder()
    expect(checks.due()).toEqual([])
    checks.changed()
    expect(checks.due()).toEqual([line, 'npm run lint'])
    checks.commandEnded({ line, exitCode: 0, output: 'ok' }, true)
    expect(checks.due()).toEqual(['npm run lint'])
    checks.settle('npm run lint')
    expect(checks.due()).toEqual([])
    checks.commandEnded({ line: "sed -i 's/a/b/' x", exitCode: 0, output: '' }, true)
    expect(checks.due()).toEqual([line, 'npm run lint'])
    run('ok', 0)
    checks.beginTurn()
    checks.commandEnded({ line: 'touch x', exitCode: 0, output: '' }, true)
    expect(checks.due()).toEqual([])
  })

  it('stay due where their line ran below the folder, or goes on in the background', () => {
    const { checks } = folder()
    checks.changed()
    checks.settle('npm run lint')
    checks.commandEnded({ line, exitCode: null, output: '' }, false)
    expect(checks.due()).toEqual([line, 'npm run lint'])
  })

  it('tell only what the run before the turn did not find, wherever its lines stand now', () => {
    const { checks, run } = folder()
    run('src/a.ts:10 old fault\n3 failed in 1.2 s')
    checks.beginTurn()
    checks.changed()
    expect(run('src/a.ts:14 old fault\n4 failed in 0.9 s')).toEqual({ kind: 'known' })
    expect(run('src/a.ts:14 old fault\nsrc/b.ts:2 new fault\n5 failed')).toEqual({
      kind: 'new',
      lines: ['src/b.ts:2 new fault', '5 failed'],
      isCompared: true,
    })
    // A second round is compared with what was there before the turn, too.
    checks.changed()
    expect(run('src/a.ts:14 old fault\nsrc/b.ts:2 new fault')).toMatchObject({
      lines: ['src/b.ts:2 new fault'],
    })
  })

  it('count the same fault that stands there once more', () => {
    const { checks, run } = folder()
    run('a.ts:1 wrong type')
    checks.beginTurn()
    checks.changed()
    expect(run('a.ts:1 wrong type\na.ts:9 wrong type')).toMatchObject({ lines: ['a.ts:9 wrong type'] })
  })

  it('find everything new where nothing, or only success, is known', () => {
    const { checks, run } = folder()
    checks.changed()
    expect(run('fault')).toEqual({ kind: 'new', lines: ['fault'], isCompared: false })
    const { checks: later, run: again } = folder()
    again('fault', 0)
    later.changed()
    expect(again('fault')).toEqual({ kind: 'new', lines: ['fault'], isCompared: true })
  })

  it('find nothing where they were not carried out', () => {
    const { checks, run } = folder()
    checks.changed()
    expect(run('sh: npm: not found', 127)).toEqual({ kind: 'unknown' })
    expect(run('', null)).toEqual({ kind: 'unknown' })
    expect(run('ok', 0)).toEqual({ kind: 'passed' })
  })
})

it('the checks of a folder are those that are on, while it is trusted; runs of others are forgotten', () => {
  let stored: unknown
  let changeChecks = [
    { line, isOn: true },
    { line: 'npm run lint', isOn: false },
  ]
  const state = { isTrusted: true }
  const works = {
    getState: () => stored,
    setState: (_: string, __: string, value: unknown) => (stored = value),
  }
  const checks = folderChecks(
    {
      store: { works },
      workSettings: { get: () => WorkSettings.parse({ changeChecks }) },
      trust: { get: () => ({ isTrusted: state.isTrusted, isAsked: true }) },
    },
    '/w',
    'work',
  )
  expect(checks.lines()).toEqual([line])
  expect(checks.known(line)).toBeNull()
  checks.keep(line, { isPassed: false, lines: ['a'] })
  expect(checks.known(line)).toEqual({ isPassed: false, lines: ['a'] })
  changeChecks = [{ line: 'npm run lint', isOn: true }]
  checks.keep('npm run lint', { isPassed: true, lines: [] })
  expect([checks.known(line), checks.known('npm run lint')]).toEqual([null, { isPassed: true, lines: [] }])
  state.isTrusted = false
  expect(checks.lines()).toEqual([])
})

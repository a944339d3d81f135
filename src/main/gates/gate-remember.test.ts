import { describe, expect, it } from 'vitest'
import { gateRig, yes } from '../../../tests/fakes/rigs/gate-rig.ts'
import {
  fileLines,
  gatedEdit,
  knownFile,
  preparedCalls,
  writeCall,
} from '../../../tests/fakes/rigs/gated-calls.ts'
import type { AgentPlan } from '../../shared/domain/session/agent-plan.ts'

const run = (line: string): [string, unknown] => ['run_command', { line, reason: 'r' }]

describe('allowing the like of it', () => {
  it('holds for the session, with the rules that are stored with it', async () => {
    const rig = await gateRig()
    const [call] = await preparedCalls(rig, run('npm test -- one'))
    const { gates } = await rig.gates.ask(rig.context, call === undefined ? [] : [call], '')
    const gateId = gates[0]?.gateId ?? ''
    expect(rig.gates.view('s1', gateId).calls[0]?.patterns).toEqual(['npm test *'])
    await rig.gates.answer(rig.context, yes(rig, gateId, { remember: 'session' }))
    const next = await preparedCalls(rig, run('npm test -- two'), run('npm test && npm run build'))
    const found = await rig.gates.ask(rig.context, next, '')
    expect(found.records).toMatchObject([{ callId: next[0]?.callId, by: 'rule', name: 'npm test *' }])
    expect(found.gates).toHaveLength(1)
    const stored = rig.rules.sessionRules('s1')
    expect(stored).toMatchObject([
      { effect: 'allow', tool: 'run_command', pattern: 'npm test *', scope: 'session' },
    ])
    const other = { ...rig.context, sessionId: 's2' }
    expect((await rig.gates.ask(other, next.slice(0, 1), '')).gates).toHaveLength(1)
    rig.gates.setSessionRules('s2', stored)
    expect((await rig.gates.ask(other, next.slice(0, 1), '')).records).toHaveLength(1)
    expect(rig.store.consentRules.list(rig.context.root)).toEqual([])
  })

  it('holds for the folder that the files are in, not for all above it', async () => {
    const rig = await gateRig()
    const calls = await preparedCalls(rig, writeCall('src/a/b/new.txt', 'x\n'))
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    expect(rig.gates.view('s1', gates[0]?.gateId ?? '').calls[0]?.patterns).toEqual(['src/a/b/**'])
  })

  it('holds for good in the folder, for every way to write a file, not for deleting it', async () => {
    const rig = await gateRig()
    await knownFile(rig, 'src/a.txt', fileLines)
    const [call] = await preparedCalls(rig, writeCall('src/new.txt', 'x\n'))
    const { gates } = await rig.gates.ask(rig.context, call === undefined ? [] : [call], '')
    await rig.gates.answer(rig.context, yes(rig, gates[0]?.gateId ?? '', { remember: 'always' }))
    expect(rig.store.consentRules.list(rig.context.root).map(({ tool, pattern }) => [tool, pattern])).toEqual(
      [
        ['edit', 'src/**'],
        ['write_file', 'src/**'],
      ],
    )
    const next = await preparedCalls(
      rig,
      ['edit', { path: 'src/a.txt', old_text: 'one', new_text: 'ONE', reason: 'r' }],
      ['delete_file', { path: 'src/a.txt', reason: 'r' }],
    )
    const other = { ...rig.context, sessionId: 's2' }
    const found = await rig.gates.ask(other, next, '')
    expect(found.records.map(({ callId }) => callId)).toEqual([next[0]?.callId])
    expect(found.gates.map(({ items }) => items.map(({ callId }) => callId))).toEqual([[next[1]?.callId]])
  })

  it.each([
    ['rm -rf src', true],
    ['sh -c "npm test"', true],
    ['npm test > out.txt', true],
    ['npm install left-pad', true],
    ['git bisect run npm test', true],
    ['deno eval 1', true],
    ['echo "print(1)" | python3', true],
    ['cp a.txt /tmp/x', true],
  ])('is never offered for %s', async (line, isTrusted) => {
    const rig = await gateRig({ isTrusted })
    const calls = await preparedCalls(rig, run(line))
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    const gateId = gates[0]?.gateId ?? ''
    expect(rig.gates.view('s1', gateId).calls[0]?.patterns).toEqual([])
    await rig.gates.answer(rig.context, yes(rig, gateId, { remember: 'always' }))
    expect(await rig.rules.list(rig.context.root, 's1')).toEqual([])
  })

  it('is not offered in a folder without trust', async () => {
    const rig = await gateRig({ isTrusted: false })
    const calls = await preparedCalls(rig, writeCall('src/a.txt', 'x\n'))
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    expect(rig.gates.view('s1', gates[0]?.gateId ?? '').calls[0]?.patterns).toEqual([])
  })
})

describe('a typed message', () => {
  it('answers the front gate alone, as a whole, when it began late enough', async () => {
    const rig = await gateRig()
    const calls = await preparedCalls(rig, run('make a'), run('make b'))
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    const [front = '', behind = ''] = gates.map(({ gateId }) => gateId)
    const word = (text: string, gateId = front, sincePaintedMs = 2_000) =>
      rig.gates.typed('s1', { text, gateId, sincePaintedMs })
    const typed = (...given: Parameters<typeof word>) => word(...given)?.verdict ?? null
    expect([typed('はい'), typed('ＯＫ'), typed('やめて'), typed('2')]).toEqual([
      'approve',
      'approve',
      'refuse',
      'refuse',
    ])
    expect(typed('yes, but rename it first')).toBeNull()
    expect(word('no, just list the folder')).toEqual({
      verdict: 'refuse',
      reason: 'no, just list the folder',
    })
    expect(typed('yes', behind)).toBeNull()
    expect(typed('yes', front, 699)).toBeNull()
    expect(typed('yes', 'no gate')).toBeNull()
    expect(rig.gates.openGates('s1')).toHaveLength(2)
    const whole = rig.gates.wholeAnswer('s1', front, 'approve', 2_000)
    expect(await rig.gates.answer(rig.context, whole)).toMatchObject({
      kind: 'approved',
      calls: [calls[0]],
    })
    expect(typed('yes', behind)).toBe('approve')
  })
})

const plan: AgentPlan = {
  title: 'Tidy up',
  purpose: 'fewer files',
  steps: [
    { text: 'look', kind: 'read', path: null },
    { text: 'write', kind: 'write', path: 'a.txt' },
  ],
  risk: 'medium',
  successCriteria: 'tests pass',
  callId: 'p1',
  hash: 'plan-hash',
  todos: [{ text: 'look', isDone: false }],
}

describe('a plan', () => {
  it('is asked about, unless the mode lets it through', async () => {
    const rig = await gateRig({ mode: 'auto-edit' })
    const standing = await rig.gates.askPlan(rig.context, plan)
    expect(standing.records).toEqual([{ callId: 'p1', by: 'mode', name: 'auto-edit', hash: 'plan-hash' }])
    expect(rig.audit()).toMatchObject([{ tool: 'propose_plan', subject: 'Tidy up', verdict: 'granted' }])
    const asked = await rig.gates.askPlan({ ...rig.context, mode: 'ask' }, plan)
    expect(asked.gates).toMatchObject([{ kind: 'plan', items: [{ callId: 'p1', hash: 'plan-hash' }] }])
    const gateId = asked.gates[0]?.gateId ?? ''
    expect(rig.gates.view('s1', gateId).calls[0]).toMatchObject({
      intent: 'Tidy up',
      reason: 'fewer files',
      plan: { purpose: 'fewer files', steps: ['look', 'write'], successCriteria: 'tests pass' },
      risk: { level: 'medium', reasons: [{ code: 'plan', detail: 'Tidy up' }] },
    })
    expect(await rig.gates.answer(rig.context, yes(rig, gateId))).toEqual({
      kind: 'approved',
      answers: [{ callId: 'p1', shownHash: 'plan-hash', hash: 'plan-hash', isPartial: false }],
      calls: [],
    })
  })

  it.each([
    ['says so', { risk: 'high' as const }],
    ['deletes', { steps: [{ text: 'x', kind: 'delete' as const, path: 'a.txt' }] }],
    ['reads a secret', { steps: [{ text: 'x', kind: 'read' as const, path: '.env' }] }],
  ])('of high risk is asked about in every mode: it %s', async (_what, change) => {
    const rig = await gateRig({ mode: 'full' })
    const { gates, records } = await rig.gates.askPlan(rig.context, { ...plan, ...change })
    expect(records).toEqual([])
    expect(rig.gates.view('s1', gates[0]?.gateId ?? '').risk.level).toBe('high')
  })
})

describe('after a crash', () => {
  it('the same gates ask again, about what is there now', async () => {
    const { rig, call, gateId } = await gatedEdit()
    const stored = [
      { gateId, kind: 'calls' as const, items: [{ callId: call.callId, hash: call.hash }] },
      { gateId: 'g-plan', kind: 'plan' as const, items: [{ callId: 'p1', hash: 'plan-hash' }] },
      { gateId: 'g-gone', kind: 'calls' as const, items: [{ callId: 'c99', hash: 'x' }] },
    ]
    rig.gates.close()
    expect(rig.gates.openGates('s1')).toEqual([])
    rig.tools.write('a.txt', `zero\n${fileLines}`)
    const now = (await call.renew()) ?? call
    const told = await rig.gates.restore(rig.context, {
      gates: stored,
      calls: [now],
      plan,
      rationale: 'd',
    })
    expect(told).toEqual([
      { gateId, items: [{ callId: call.callId, hash: now.hash }] },
      { gateId: 'g-plan', items: [{ callId: 'p1', hash: 'plan-hash' }] },
      { gateId: 'g-gone', items: null },
    ])
    expect(now.hash).not.toBe(call.hash)
    expect(rig.gates.openGates('s1').map((gate) => gate.gateId)).toEqual([gateId, 'g-plan'])
    expect(rig.watched()).toEqual(['a.txt'])
    expect((await rig.gates.answer(rig.context, yes(rig, gateId))).kind).toBe('approved')
  })

  it('a plan that is another one now is not asked about', async () => {
    const rig = await gateRig()
    const gates = [{ gateId: 'g', kind: 'plan' as const, items: [{ callId: 'p1', hash: 'older' }] }]
    const told = await rig.gates.restore(rig.context, { gates, calls: [], plan, rationale: '' })
    expect(told).toEqual([{ gateId: 'g', items: null }])
  })
})

it('staged changes are one gate of their own kind', async () => {
  const rig = await gateRig()
  const [call] = await preparedCalls(rig, writeCall('a.txt', 'x\n'))
  if (call === undefined) throw new Error('no call')
  const { gates } = await rig.gates.askApply(rig.context, call, 'd')
  expect(gates).toMatchObject([{ kind: 'apply', items: [{ callId: call.callId, hash: call.hash }] }])
})

it('a search shows neither secrets nor what a rule keeps back', async () => {
  const rig = await gateRig()
  rig.rules.saveForFolder(rig.context.root, { effect: 'ask', tool: 'read_file', pattern: 'private/**' })
  rig.rules.saveForFolder(rig.context.root, { effect: 'deny', tool: 'edit', pattern: 'locked/**' })
  const isShown = await rig.gates.readFilter(rig.context)
  const paths = ['a.txt', '.env', 'private/a.txt', 'locked/a.txt', 'sub/id_rsa']
  expect(paths.filter(isShown)).toEqual(['a.txt', 'locked/a.txt'])
})

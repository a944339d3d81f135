import { describe, expect, it } from 'vitest'
import { type GateRig, gateRig, yes } from '../../../tests/fakes/rigs/gate-rig.ts'
import {
  codeOf,
  failure,
  gatedWrite as gated,
  knownFile as known,
  fileLines as lines,
  preparedCalls as prepared,
  writeCall as write,
} from '../../../tests/fakes/rigs/gated-calls.ts'
import { runCall } from '../../../tests/fakes/rigs/tool-rig.ts'

describe('asking', () => {
  it('puts the edits of an answer into one gate, commands and secret reads each into their own', async () => {
    const rig = await gateRig()
    for (const path of ['a.txt', 'b.txt', '.env']) await known(rig, path, lines)
    const calls = await prepared(
      rig,
      ['read_file', { path: 'a.txt' }],
      write('a.txt', 'x\n'),
      ['run_command', { line: 'npm test', reason: 'to see' }],
      write('b.txt', 'y\n'),
      ['read_file', { path: '.env' }],
      ['run_command', { line: 'ls', reason: 'to see' }],
    )
    const ids = calls.map(({ callId }) => callId)
    const found = await rig.gates.ask(rig.context, calls, 'the decision')
    expect(found.gates.map(({ items }) => items.map(({ callId }) => callId))).toEqual([
      [ids[1], ids[3]],
      [ids[2]],
      [ids[4]],
    ])
    expect(found.records).toEqual([
      { callId: ids[0], by: 'rule', name: 'scope', hash: calls[0]?.hash },
      { callId: ids[5], by: 'grant', name: 'read-only', hash: calls[5]?.hash },
    ])
    expect(found.denied).toEqual([])
    expect(rig.gates.openGates('s1').map(({ gateId }) => gateId)).toEqual(
      found.gates.map((gate) => gate.gateId),
    )
    expect(rig.audit().map(({ verdict, subject }) => [verdict, subject])).toEqual([
      ['granted', 'ls'],
      ['granted', 'a.txt'],
    ])
  })

  it('shows the five points as facts and as the model put them', async () => {
    const { rig, call, gateId } = await gated()
    const view = rig.gates.view('s1', gateId)
    expect(view).toMatchObject({ kind: 'calls', risk: { level: 'low', reasons: [] } })
    expect(view.calls[0]).toMatchObject({
      callId: call.callId,
      hash: call.hash,
      intent: call.title,
      reason: 'because',
      isReasonFromDecision: false,
      patterns: ['a.txt'],
      files: [{ path: 'a.txt', action: 'edit', addedLines: 2, removedLines: 2, hunks: 2, to: null }],
      command: null,
    })
    const diff = rig.gates.diff('s1', gateId, call.callId, 'a.txt')
    expect(diff).toEqual({ path: 'a.txt', oldText: lines, newText: 'ONE\ntwo\nthree\nfour\nFIVE\n' })
    expect(() => rig.gates.diff('s1', gateId, call.callId, 'b.txt')).toThrow('file/not-found')
    expect(() => rig.gates.view('other', gateId)).toThrow('gate/not-open')
  })

  it('shows the decision where a call gives no reason', async () => {
    const rig = await gateRig()
    rig.tools.write('.env', 'x')
    const calls = await prepared(rig, ['read_file', { path: '.env' }])
    const { gates } = await rig.gates.ask(rig.context, calls, 'the decision')
    const view = rig.gates.view('s1', gates[0]?.gateId ?? '')
    expect(view.calls[0]).toMatchObject({
      reason: 'the decision',
      isReasonFromDecision: true,
      reads: ['.env'],
      patterns: [],
      risk: { level: 'high', reasons: [{ code: 'secret', detail: '.env' }] },
    })
  })

  it('counts what is asked together: six small edits are many files', async () => {
    const rig = await gateRig({ mode: 'auto-edit' })
    const calls = await prepared(rig, ...[1, 2, 3, 4, 5, 6].map((n) => write(`${n}.txt`, 'x\n')))
    const few = await rig.gates.ask(rig.context, calls.slice(0, 5), '')
    expect(few.records).toHaveLength(5)
    const many = await rig.gates.ask(rig.context, calls, '')
    expect(many.gates.map(({ items }) => items.length)).toEqual([6])
    expect(rig.gates.openGates('s1')[0]?.risk).toEqual({
      level: 'high',
      reasons: [{ code: 'many-files', detail: '6' }],
    })
  })

  it.each([
    ['en', 'plan', true, 'npm test', 'plan mode'],
    ['ja', 'ask', false, 'ls', '信頼'],
    ['en', 'full', true, 'git push', 'git push'],
  ] as const)('says in the language of the session why it denies (%s, %s)', async (...row) => {
    const [language, mode, isTrusted, line, words] = row
    const rig = await gateRig({ language, mode, isTrusted })
    rig.rules.saveForFolder(rig.context.root, { effect: 'deny', tool: null, pattern: 'git push' })
    const calls = await prepared(rig, ['run_command', { line, reason: 'r' }])
    const found = await rig.gates.ask(rig.context, calls, '')
    expect(found).toMatchObject({ records: [], gates: [] })
    expect(found.denied[0]?.reason).toContain(words)
    expect(rig.audit()).toMatchObject([{ verdict: 'denied', record: null, reason: found.denied[0]?.reason }])
  })
})

describe('an approval', () => {
  it('carries the hash that was shown, and lets the call run', async () => {
    const { rig, call, gateId } = await gated()
    const answer = await rig.gates.answer(rig.context, yes(rig, gateId))
    expect(answer).toEqual({
      kind: 'approved',
      answers: [{ callId: call.callId, shownHash: call.hash, hash: call.hash, isPartial: false }],
      calls: [call],
    })
    expect(rig.gates.openGates('s1')).toEqual([])
    expect(rig.watched()).toEqual([])
    expect(rig.audit()[0]).toMatchObject({
      verdict: 'approved',
      subject: 'a.txt',
      risk: 'low',
      record: { callId: call.callId, by: 'user', name: null, hash: call.hash },
    })
    await runCall(call)
    expect(rig.tools.text('a.txt')).toBe(lines.replace('one', 'ONE').replace('five', 'FIVE'))
    expect(await failure(rig.gates.answer(rig.context, { ...yesTo(gateId), answers: [] }))).toBe(
      'gate/not-open',
    )
  })

  it('of some places writes only these', async () => {
    const { rig, call, gateId } = await gated()
    const refusedHunks = [{ path: 'a.txt', hunks: [0] }]
    const answer = await rig.gates.answer(rig.context, yes(rig, gateId, { calls: { 0: { refusedHunks } } }))
    if (answer.kind !== 'approved') throw new Error(answer.kind)
    const [part] = answer.calls
    expect(answer.answers).toEqual([
      { callId: call.callId, shownHash: call.hash, hash: part?.hash, isPartial: true },
    ])
    expect(part?.hash).not.toBe(call.hash)
    if (part !== undefined) await runCall(part)
    expect(rig.tools.text('a.txt')).toBe(lines.replace('five', 'FIVE'))
    expect(rig.audit()[0]?.record?.hash).toBe(part?.hash)
  })

  it('of no place at all is a refusal', async () => {
    const { rig, gateId } = await gated()
    const refusedHunks = [{ path: 'a.txt', hunks: [1, 0] }]
    const input = yes(rig, gateId, { reason: 'neither', calls: { 0: { refusedHunks } } })
    expect(await rig.gates.answer(rig.context, input)).toEqual({ kind: 'rejected', reason: 'neither' })
    expect(rig.audit()[0]).toMatchObject({ verdict: 'refused', record: null, reason: 'neither' })
  })

  it('of one call refuses the other, and one that no answer names', async () => {
    const rig = await gateRig()
    const calls = await prepared(rig, write('a.txt', 'a\n'), write('b.txt', 'b\n'), write('c.txt', 'c\n'))
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    const gateId = gates[0]?.gateId ?? ''
    const whole = yes(rig, gateId, { calls: { 1: { isApproved: false } } })
    const answer = await rig.gates.answer(rig.context, { ...whole, answers: whole.answers.slice(0, 2) })
    expect(answer).toMatchObject({ kind: 'approved', calls: [calls[0]] })
    expect(answer.kind === 'approved' && answer.answers.map(({ hash }) => hash)).toEqual([
      calls[0]?.hash,
      null,
      null,
    ])
    expect(rig.audit().map(({ verdict }) => verdict)).toEqual(['refused', 'refused', 'approved'])
  })

  it('of two edits that stand on each other carries both out', async () => {
    const rig = await gateRig()
    await known(rig, 'a.txt', lines)
    const edit = (old_text: string, new_text: string): [string, unknown] => [
      'edit',
      { path: 'a.txt', old_text, new_text, reason: 'r' },
    ]
    const calls = await prepared(rig, edit('one', 'ONE'), edit('ONE', 'ONE and more'))
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    expect(gates.map(({ items }) => items.length)).toEqual([2])
    const answer = await rig.gates.answer(rig.context, yes(rig, gates[0]?.gateId ?? ''))
    if (answer.kind !== 'approved') throw new Error(answer.kind)
    for (const call of answer.calls) expect((await runCall(call)).isOk).toBe(true)
    expect(rig.tools.text('a.txt')).toBe(lines.replace('one', 'ONE and more'))
  })

  it('of places of two edits of one file writes these, each on what is left of the other', async () => {
    const rig = await gateRig()
    await known(rig, 'a.txt', lines)
    const calls = await prepared(rig, write('a.txt', lines.replace('one', 'ONE').replace('three', 'THREE')), [
      'edit',
      { path: 'a.txt', old_text: 'five', new_text: 'FIVE', reason: 'r' },
    ])
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    const refusedHunks = [{ path: 'a.txt', hunks: [0] }]
    const input = yes(rig, gates[0]?.gateId ?? '', { calls: { 0: { refusedHunks } } })
    const answer = await rig.gates.answer(rig.context, input)
    if (answer.kind !== 'approved') throw new Error(answer.kind)
    expect(answer.answers.map(({ isPartial }) => isPartial)).toEqual([true, true])
    for (const call of answer.calls) expect((await runCall(call)).isOk).toBe(true)
    expect(rig.tools.text('a.txt')).toBe(lines.replace('three', 'THREE').replace('five', 'FIVE'))
  })

  it('of the second of two edits of one file needs nothing of the first', async () => {
    const rig = await gateRig()
    await known(rig, 'a.txt', lines)
    const calls = await prepared(rig, write('a.txt', lines.replace('one', 'ONE')), [
      'edit',
      { path: 'a.txt', old_text: 'five', new_text: 'FIVE', reason: 'r' },
    ])
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    const input = yes(rig, gates[0]?.gateId ?? '', { calls: { 0: { isApproved: false } } })
    const answer = await rig.gates.answer(rig.context, input)
    if (answer.kind !== 'approved') throw new Error(answer.kind)
    for (const call of answer.calls) expect((await runCall(call)).isOk).toBe(true)
    expect(rig.tools.text('a.txt')).toBe(lines.replace('five', 'FIVE'))
  })

  it('of an edit whose ground was refused writes nothing in its place', async () => {
    const rig = await gateRig()
    await known(rig, 'a.txt', lines)
    const calls = await prepared(
      rig,
      ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason: 'r' }],
      ['edit', { path: 'a.txt', old_text: 'ONE', new_text: 'TWO', reason: 'r' }],
    )
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    const input = yes(rig, gates[0]?.gateId ?? '', { calls: { 0: { isApproved: false } } })
    const answer = await rig.gates.answer(rig.context, input)
    if (answer.kind !== 'approved') throw new Error(answer.kind)
    expect(answer.calls.map(({ callId }) => callId)).toEqual([calls[1]?.callId])
    for (const call of answer.calls) expect((await runCall(call)).isOk).toBe(false)
    expect(rig.tools.text('a.txt')).toBe(lines)
  })

  it('does not count before it could be read', async () => {
    const { rig, gateId } = await gated()
    for (const sincePaintedMs of [699.9, 0, -5]) {
      expect(await failure(rig.gates.answer(rig.context, yes(rig, gateId, { sincePaintedMs })))).toBe(
        'gate/too-early',
      )
    }
    const refusal = { ...yes(rig, gateId), verdict: 'refuse', sincePaintedMs: 10 } as const
    expect(await failure(rig.gates.answer(rig.context, refusal))).toBe('gate/too-early')
    const inTime = await rig.gates.answer(rig.context, yes(rig, gateId, { sincePaintedMs: 700 }))
    expect(inTime.kind).toBe('approved')
  })

  it.each([
    ['another hash', { shownHash: 'something else' }],
    ['a place that is not there', { refusedHunks: [{ path: 'a.txt', hunks: [7] }] }],
    ['a file that is not there', { refusedHunks: [{ path: 'b.txt', hunks: [0] }] }],
    ['another call', { callId: 'c99' }],
  ])('of %s approves nothing, and the gate is shown again', async (_what, change) => {
    const { rig, call, gateId } = await gated()
    const answer = await rig.gates.answer(rig.context, yes(rig, gateId, { calls: { 0: change } }))
    expect(answer).toEqual({ kind: 'void', items: [{ callId: call.callId, hash: call.hash }] })
    expect(rig.gates.openGates('s1')).toHaveLength(1)
  })

  it('cannot be given twice', async () => {
    const { rig, gateId } = await gated()
    const both = [1, 2].map(() => rig.gates.answer(rig.context, yes(rig, gateId)))
    const kinds = await Promise.all(both.map((one) => one.then(({ kind }) => kind as string, codeOf)))
    expect(kinds.sort()).toEqual(['approved', 'gate/not-open'])
  })

  it.each([
    [
      'a rule',
      (rig: GateRig) => void rig.rules.saveForSession('s1', { effect: 'deny', tool: null, pattern: 'a.txt' }),
    ],
    ['plan mode', (rig: GateRig) => Object.assign(rig.context, { mode: 'plan' })],
  ])('does not undo %s that came while the gate was open', async (_what, forbid) => {
    const { rig, gateId } = await gated()
    forbid(rig)
    const answer = await rig.gates.answer(rig.context, yes(rig, gateId))
    expect(answer.kind).toBe('rejected')
    expect(rig.audit()[0]?.verdict).toBe('denied')
  })
})

function yesTo(gateId: string) {
  return { gateId, sincePaintedMs: 5_000, verdict: 'approve' as const, reason: null, remember: null }
}

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateRig, yes } from '../../../tests/fakes/rigs/gate-rig.ts'
import {
  failure,
  gatedCall,
  gatedEdit,
  knownFile,
  fileLines as lines,
  preparedCalls as prepared,
} from '../../../tests/fakes/rigs/gated-calls.ts'
import { runCall } from '../../../tests/fakes/rigs/tool-rig.ts'

describe('a change of the files while a gate is open', () => {
  it('voids an approval and shows what would be done now', async () => {
    const { rig, call, gateId } = await gatedEdit()
    const shown = yes(rig, gateId)
    rig.tools.write('a.txt', lines.replace('three', 'somebody else'))
    const answer = await rig.gates.answer(rig.context, shown)
    if (answer.kind !== 'void') throw new Error(answer.kind)
    const items = answer.items ?? []
    expect(items.map(({ callId }) => callId)).toEqual([call.callId])
    expect(items[0]?.hash).not.toBe(call.hash)
    expect(rig.gates.diff('s1', gateId, call.callId, 'a.txt').oldText).toContain('somebody else')
    expect(rig.audit()[0]).toMatchObject({ verdict: 'void', record: null })
    // An answer to the preview before is no answer to the present one.
    await rig.clock.advance(1_000)
    expect((await rig.gates.answer(rig.context, shown)).kind).toBe('void')
    const again = await rig.gates.answer(rig.context, yes(rig, gateId))
    if (again.kind !== 'approved') throw new Error(again.kind)
    expect(again.answers[0]?.hash).toBe(items[0]?.hash)
    for (const one of again.calls) await runCall(one)
    expect(rig.tools.text('a.txt')).toBe(lines.replace('one', 'ONE').replace('three', 'somebody else'))
  })

  it('is told at once, and nothing may be typed that was meant for the old diff', async () => {
    const { rig, call, gateId } = await gatedEdit()
    const heard: unknown[] = []
    const stop = rig.gates.onVoid((...told) => heard.push(told))
    expect(rig.watched()).toEqual(['a.txt'])
    // The content is unchanged.
    rig.touch('a.txt')
    rig.tools.write('a.txt', 'one of all new lines\n')
    rig.touch('a.txt')
    await expect.poll(() => heard.length).toBe(1)
    const hash = rig.gates.view('s1', gateId).calls[0]?.hash
    expect(heard).toEqual([['s1', gateId, [{ callId: call.callId, hash }]]])
    expect(hash).not.toBe(call.hash)
    const typed = { text: 'yes', gateId, sincePaintedMs: 5_000 }
    expect(rig.gates.typed('s1', typed)).toBeNull()
    expect(await failure(rig.gates.answer(rig.context, yes(rig, gateId)))).toBe('gate/too-early')
    await rig.clock.advance(700)
    expect(rig.gates.typed('s1', typed)).toEqual({ verdict: 'approve', reason: null })
    stop()
    rig.tools.write('a.txt', 'one newer\n')
    rig.touch('a.txt')
    await expect.poll(() => rig.gates.view('s1', gateId).calls[0]?.hash).not.toBe(hash)
    expect(heard).toHaveLength(1)
    expect(rig.bugs).toEqual([])
  })

  it('closes a gate whose edit no longer applies', async () => {
    const { rig, gateId } = await gatedEdit()
    const heard: unknown[] = []
    rig.gates.onVoid((...told) => heard.push(told))
    rig.tools.write('a.txt', 'nothing of it\n')
    rig.touch('a.txt')
    await expect.poll(() => heard).toEqual([['s1', gateId, null]])
    expect(rig.gates.openGates('s1')).toEqual([])
    expect(rig.watched()).toEqual([])
    expect(rig.audit()[0]?.verdict).toBe('void')
  })

  it('is told only when the asker knows all gates: it would not know the gate that changes', async () => {
    const rig = await gateRig()
    const commands = Array.from({ length: 20 }, (_, at): [string, unknown] => [
      'run_command',
      { line: `make part-${at}`, reason: 'r' },
    ])
    const call: [string, unknown] = ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason: 'r' }]
    await knownFile(rig, 'a.txt', lines)
    const calls = await prepared(rig, call, ...commands)
    let isTold = false
    const heard: boolean[] = []
    rig.gates.onVoid(() => heard.push(isTold))
    rig.tools.write('a.txt', 'nothing of it\n')
    const asking = rig.gates.ask(rig.context, calls, '').then((found) => {
      isTold = true
      return found
    })
    while (rig.watched().length === 0) await new Promise((resolve) => setImmediate(resolve))
    rig.touch('a.txt')
    expect((await asking).gates).toHaveLength(21)
    await expect.poll(() => heard.length).toBe(1)
    expect(heard).toEqual([true])
  })

  it('is found out at the answer, too, where nobody watched', async () => {
    const { rig, gateId } = await gatedCall(await gateRig(), 'delete_file', {
      path: 'a.txt',
      reason: 'r',
    })
    rmSync(join(rig.tools.root, 'a.txt'))
    expect(await rig.gates.answer(rig.context, yes(rig, gateId))).toEqual({ kind: 'void', items: null })
    expect(rig.gates.openGates('s1')).toEqual([])
  })
})

describe('a refusal, a withdrawal', () => {
  it('closes the gate, with the reason', async () => {
    const { rig, gateId } = await gatedEdit()
    const input = { ...yes(rig, gateId), verdict: 'refuse', reason: 'use another file' } as const
    expect(await rig.gates.answer(rig.context, input)).toEqual({
      kind: 'rejected',
      reason: 'use another file',
    })
    expect(rig.audit()[0]).toMatchObject({ verdict: 'refused', reason: 'use another file', record: null })
    expect(rig.gates.openGates('s1')).toEqual([])
  })

  it('needs no look at the files', async () => {
    const { rig, gateId } = await gatedEdit()
    rig.tools.write('a.txt', 'other\n')
    const input = { ...yes(rig, gateId), verdict: 'refuse' } as const
    expect((await rig.gates.answer(rig.context, input)).kind).toBe('rejected')
  })

  it('takes one gate or all of the session away', async () => {
    const rig = await gateRig()
    const calls = await prepared(
      rig,
      ...['make a', 'make b', 'make c'].map((line): [string, unknown] => [
        'run_command',
        { line, reason: 'r' },
      ]),
    )
    const { gates } = await rig.gates.ask(rig.context, calls, '')
    rig.gates.withdraw('other')
    rig.gates.withdraw('s1', gates[1]?.gateId)
    expect(rig.gates.openGates('s1').map(({ gateId }) => gateId)).toEqual([
      gates[0]?.gateId,
      gates[2]?.gateId,
    ])
    rig.gates.withdraw('s1')
    expect(rig.gates.openGates('s1')).toEqual([])
    expect(rig.audit().map(({ verdict }) => verdict)).toEqual(['withdrawn', 'withdrawn', 'withdrawn'])
  })
})

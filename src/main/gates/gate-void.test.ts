import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateBench, yes } from '../../../tests/fakes/gate-bench.ts'
import {
  failure,
  gatedCall,
  gatedEdit,
  fileLines as lines,
  preparedCalls as prepared,
} from '../../../tests/fakes/gated-calls.ts'
import { runCall } from '../../../tests/fakes/tool-bench.ts'

describe('a change of the files while a gate is open', () => {
  it('voids an approval and shows what would be done now', async () => {
    const { bench, call, gateId } = await gatedEdit()
    const shown = yes(bench, gateId)
    bench.tools.write('a.txt', lines.replace('three', 'somebody else'))
    const answer = await bench.gates.answer(bench.context, shown)
    if (answer.kind !== 'void') throw new Error(answer.kind)
    const items = answer.items ?? []
    expect(items.map(({ callId }) => callId)).toEqual([call.callId])
    expect(items[0]?.hash).not.toBe(call.hash)
    expect(bench.gates.diff('s1', gateId, call.callId, 'a.txt').oldText).toContain('somebody else')
    expect(bench.audit()[0]).toMatchObject({ verdict: 'void', record: null })
    // What was shown before is no answer to what is shown now.
    await bench.clock.advance(1_000)
    expect((await bench.gates.answer(bench.context, shown)).kind).toBe('void')
    const again = await bench.gates.answer(bench.context, yes(bench, gateId))
    if (again.kind !== 'approved') throw new Error(again.kind)
    expect(again.answers[0]?.hash).toBe(items[0]?.hash)
    for (const one of again.calls) await runCall(one)
    expect(bench.tools.text('a.txt')).toBe(lines.replace('one', 'ONE').replace('three', 'somebody else'))
  })

  it('is told at once, and nothing may be typed that was meant for the old diff', async () => {
    const { bench, call, gateId } = await gatedEdit()
    const heard: unknown[] = []
    const stop = bench.gates.onVoid((...told) => heard.push(told))
    expect(bench.watched()).toEqual(['a.txt'])
    // Nothing is different.
    bench.touch('a.txt')
    bench.tools.write('a.txt', 'one of all new lines\n')
    bench.touch('a.txt')
    await expect.poll(() => heard.length).toBe(1)
    const hash = bench.gates.view('s1', gateId).calls[0]?.hash
    expect(heard).toEqual([['s1', gateId, [{ callId: call.callId, hash }]]])
    expect(hash).not.toBe(call.hash)
    const typed = { text: 'yes', gateId, sincePaintedMs: 5_000 }
    expect(bench.gates.typed('s1', typed)).toBeNull()
    expect(await failure(bench.gates.answer(bench.context, yes(bench, gateId)))).toBe('gate/too-early')
    await bench.clock.advance(700)
    expect(bench.gates.typed('s1', typed)).toEqual({ verdict: 'approve', reason: null })
    stop()
    bench.tools.write('a.txt', 'one newer\n')
    bench.touch('a.txt')
    await expect.poll(() => bench.gates.view('s1', gateId).calls[0]?.hash).not.toBe(hash)
    expect(heard).toHaveLength(1)
    expect(bench.bugs).toEqual([])
  })

  it('closes a gate whose edit no longer applies', async () => {
    const { bench, gateId } = await gatedEdit()
    const heard: unknown[] = []
    bench.gates.onVoid((...told) => heard.push(told))
    bench.tools.write('a.txt', 'nothing of it\n')
    bench.touch('a.txt')
    await expect.poll(() => heard).toEqual([['s1', gateId, null]])
    expect(bench.gates.openGates('s1')).toEqual([])
    expect(bench.watched()).toEqual([])
    expect(bench.audit()[0]?.verdict).toBe('void')
  })

  it('is found out at the answer, too, where nobody watched', async () => {
    const { bench, gateId } = await gatedCall(await gateBench(), 'delete_file', {
      path: 'a.txt',
      reason: 'r',
    })
    rmSync(join(bench.tools.root, 'a.txt'))
    expect(await bench.gates.answer(bench.context, yes(bench, gateId))).toEqual({ kind: 'void', items: null })
    expect(bench.gates.openGates('s1')).toEqual([])
  })
})

describe('a refusal, a withdrawal', () => {
  it('closes the gate, with the reason', async () => {
    const { bench, gateId } = await gatedEdit()
    const input = { ...yes(bench, gateId), verdict: 'refuse', reason: 'use another file' } as const
    expect(await bench.gates.answer(bench.context, input)).toEqual({
      kind: 'rejected',
      reason: 'use another file',
    })
    expect(bench.audit()[0]).toMatchObject({ verdict: 'refused', reason: 'use another file', record: null })
    expect(bench.gates.openGates('s1')).toEqual([])
  })

  it('needs no look at the files', async () => {
    const { bench, gateId } = await gatedEdit()
    bench.tools.write('a.txt', 'other\n')
    const input = { ...yes(bench, gateId), verdict: 'refuse' } as const
    expect((await bench.gates.answer(bench.context, input)).kind).toBe('rejected')
  })

  it('takes one gate or all of the session away', async () => {
    const bench = await gateBench()
    const calls = await prepared(
      bench,
      ...['make a', 'make b', 'make c'].map((line): [string, unknown] => [
        'run_command',
        { line, reason: 'r' },
      ]),
    )
    const { gates } = await bench.gates.ask(bench.context, calls, '')
    bench.gates.withdraw('other')
    bench.gates.withdraw('s1', gates[1]?.gateId)
    expect(bench.gates.openGates('s1').map(({ gateId }) => gateId)).toEqual([
      gates[0]?.gateId,
      gates[2]?.gateId,
    ])
    bench.gates.withdraw('s1')
    expect(bench.gates.openGates('s1')).toEqual([])
    expect(bench.audit().map(({ verdict }) => verdict)).toEqual(['withdrawn', 'withdrawn', 'withdrawn'])
  })
})

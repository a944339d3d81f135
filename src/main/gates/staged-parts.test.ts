import { describe, expect, it } from 'vitest'
import { gateRig, yes } from '../../../tests/fakes/gate-rig.ts'
import { madeCall } from '../../../tests/fakes/rolled-calls.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import type { FilePreview, PreparedCall } from '../tools/prepared-call.ts'

const edited: FilePreview = {
  path: 'src/a.ts',
  to: null,
  action: 'edit',
  oldText: 'a\nx\nx\nx\nx\nx\nx\nx\nb\n',
  newText: 'A\nx\nx\nx\nx\nx\nx\nx\nB\n',
  sizeBytes: 18,
}
const deleted: FilePreview = { ...edited, path: 'src/b.ts', action: 'delete', newText: null }
const rule = (effect: ConsentRule['effect'], tool: ConsentRule['tool']): ConsentRule => ({
  ruleId: `${effect} ${tool}`,
  effect,
  tool,
  pattern: 'src/**',
  scope: 'session',
})

/** Returns who grants staged changes, or `denied` or `asked`. */
async function outcome(files: FilePreview[], rules: ConsentRule[], mode: AgentMode = 'ask'): Promise<string> {
  const rig = await gateRig({ mode })
  rig.gates.setSessionRules('s1', rules)
  const found = await rig.gates.askApply(rig.context, staged(files), 'as asked')
  const [record] = found.records
  if (record !== undefined) return `${record.by} ${record.name}`
  return found.denied.length > 0 ? 'denied' : found.gates.map(({ kind }) => `asked: ${kind}`).join()
}

function staged(files: FilePreview[]): PreparedCall {
  return madeCall('run ahead', { kind: 'change', files }, 'write_file')
}

describe('staged changes', () => {
  it('are asked about in one gate with every file, its risk and its places', async () => {
    const rig = await gateRig()
    const { gates } = await rig.gates.askApply(rig.context, staged([edited, deleted]), 'as asked')
    const [gate] = gates
    if (gate === undefined) throw new Error('no gate')
    const view = rig.gates.view('s1', gate.gateId)
    expect(view).toMatchObject({ kind: 'apply', risk: { level: 'high' } })
    expect(view.calls.flatMap(({ files }) => files.map(({ path, hunks }) => [path, hunks]))).toEqual([
      ['src/a.ts', 2],
      ['src/b.ts', 1],
    ])
    expect(view.risk.reasons).toEqual([{ code: 'deletion', detail: 'src/b.ts' }])
    const refusedHunks = [{ path: 'src/a.ts', hunks: [1] }]
    const answer = await rig.gates.answer(
      rig.context,
      yes(rig, gate.gateId, { calls: { 0: { refusedHunks } } }),
    )
    if (answer.kind !== 'approved') throw new Error(answer.kind)
    const [call] = answer.calls
    expect(call?.facts).toMatchObject({ files: [{ newText: 'A\nx\nx\nx\nx\nx\nx\nx\nb\n' }, {}] })
    expect(answer.answers).toMatchObject([
      { shownHash: view.calls[0]?.hash, hash: call?.hash, isPartial: true },
    ])
  })

  it('are granted by a rule only where rules allow each file for the tool that makes the like of it', async () => {
    expect(await outcome([edited], [rule('allow', 'edit')])).toBe('rule src/**')
    expect(await outcome([edited, deleted], [rule('allow', 'edit'), rule('allow', 'write_file')])).toBe(
      'asked: apply',
    )
    expect(await outcome([edited, deleted], [rule('allow', 'edit'), rule('allow', 'delete_file')])).toBe(
      'rule src/**',
    )
    expect(await outcome([edited], [], 'auto-edit')).toBe('mode auto-edit')
    expect(await outcome([edited, deleted], [], 'auto-edit')).toBe('asked: apply')
  })

  it('are denied where one file of them is, also by a rule that came while they were asked about', async () => {
    expect(await outcome([edited, deleted], [rule('deny', 'delete_file')])).toBe('denied')
    expect(await outcome([edited], [rule('deny', 'delete_file')])).toBe('asked: apply')
    const rig = await gateRig()
    const { gates } = await rig.gates.askApply(rig.context, staged([edited, deleted]), '')
    rig.gates.setSessionRules('s1', [rule('deny', 'delete_file')])
    const answer = await rig.gates.answer(rig.context, yes(rig, gates[0]?.gateId ?? ''))
    expect(answer).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('src/**') })
  })
})

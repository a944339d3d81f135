import { describe, expect, it } from 'vitest'
import { gateRig, yes } from '../../../tests/fakes/rigs/gate-rig.ts'
import { madeCall } from '../../../tests/fakes/rolled-calls.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import type { EffectFacts, FilePreview, PreparedCall } from '../tools/prepared-call.ts'

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

  it('are asked about, and taken, where a command has built a file that no tool writes', async () => {
    const built: FilePreview = { ...edited, path: 'src/__pycache__/a.pyc', action: 'create', oldText: null }
    const rules = [rule('allow', 'edit'), rule('allow', 'write_file')]
    expect(await outcome([edited, built], rules, 'full')).toBe('asked: apply')
    const rig = await gateRig({ mode: 'full' })
    const { gates, denied } = await rig.gates.askEffects(rig.context, staged([edited, built]), '')
    expect(denied).toEqual([])
    const answer = await rig.gates.answer(rig.context, yes(rig, gates[0]?.gateId ?? ''))
    expect(answer).toMatchObject({ kind: 'approved' })
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

/** The changes of a command in the ignored folder `data`. */
function inData(part: Partial<EffectFacts['ignored'][number]> = {}): PreparedCall {
  return inFolders(['data'], [], part)
}

/** The changes of a command in ignored folders, and to `files`. */
function inFolders(
  tops: readonly string[],
  files: FilePreview[],
  part: Partial<EffectFacts['ignored'][number]> = {},
): PreparedCall {
  const ignored = tops.map((top) => {
    return { top, written: [`${top}/a`], removed: [], sizeBytes: 1, leadsOut: false, ...part }
  })
  const effects = { line: 'make', folder: '.', ignored, conflicts: [], left: [] }
  return madeCall('command', { kind: 'change', files, effects }, 'write_file')
}

describe('changes of commands in ignored folders', () => {
  it('are asked about once in a session, and a yes to them lets no tool write there', async () => {
    const { gates, rules, context } = await gateRig({ mode: 'ask' })
    const ask = (sessionId: string) => gates.askEffects({ ...context, sessionId }, inData(), '')
    const [gate] = (await ask('s1')).gates
    await gates.answer(context, yes({ gates, context }, gate?.gateId ?? ''))
    expect(await ask('s1')).toMatchObject({ records: [{ by: 'rule', name: 'data' }], gates: [] })
    expect((await ask('s2')).gates).toHaveLength(1)
    const written: FilePreview = { ...edited, path: 'data/x', action: 'create', oldText: null }
    const byTool = madeCall('tool', { kind: 'change', files: [written] }, 'write_file')
    expect((await gates.ask(context, [byTool], '')).gates).toHaveLength(1)
    expect(rules.sessionRules('s1')).toEqual([])
  })

  it('are asked about in every mode at first, and always where a link leads out', async () => {
    const { gates, context } = await gateRig({ mode: 'full' })
    const [gate] = (await gates.askEffects(context, inData(), '')).gates
    await gates.answer(context, yes({ gates, context }, gate?.gateId ?? ''))
    expect((await gates.askEffects(context, inData({ leadsOut: true }), '')).gates).toHaveLength(1)
  })

  it('may be allowed for good, each folder by a rule of its own, and nothing else that the command changed', async () => {
    const { gates, rules, context } = await gateRig({ mode: 'ask' })
    const ask = (sessionId: string, tops: readonly string[], files: FilePreview[] = []) =>
      gates.askEffects({ ...context, sessionId }, inFolders(tops, files), '')
    const tops = ['dist', 'node_modules']
    const gateId = (await ask('s1', tops, [edited])).gates[0]?.gateId ?? ''
    expect(gates.view('s1', gateId).calls[0]?.patterns).toEqual(['dist/**', 'node_modules/**'])
    await gates.answer(context, yes({ gates, context }, gateId, { remember: 'always' }))
    const saved = await rules.list(context.root)
    expect(new Set(saved.map(({ pattern }) => pattern))).toEqual(new Set(['dist/**', 'node_modules/**']))
    const later = await ask('s2', tops)
    expect(later).toMatchObject({ records: [{ by: 'rule', name: 'dist/**, node_modules/**' }], gates: [] })
    expect((await ask('s2', ['dist'])).gates).toEqual([])
    expect((await ask('s2', ['dist', 'build'])).gates).toHaveLength(1)
    expect((await ask('s2', tops, [edited])).gates).toHaveLength(1)
  })

  const protectedFile: FilePreview = { ...edited, path: 'AGENTS.md' }
  it.each<[string, PreparedCall]>([
    ['one is named like a pattern', inFolders(['dist', 'a[b]'], [])],
    ['a link leads out', inFolders(['dist', 'build'], [], { leadsOut: true })],
    ['a protected file changes with them', inFolders(['dist'], [protectedFile])],
    ['a file is deleted with them', inFolders(['dist'], [deleted])],
    ['they are too many to read', inFolders(Array.from('abcdefghi'), [])],
    ['there are none', inFolders([], [edited])],
  ])('may not be allowed for good where %s', async (_, call) => {
    const { gates, rules, context } = await gateRig({ mode: 'ask' })
    const gateId = (await gates.askEffects(context, call, '')).gates[0]?.gateId ?? ''
    expect(gates.view('s1', gateId).calls[0]?.patterns).toEqual([])
    await gates.answer(context, yes({ gates, context }, gateId, { remember: 'always' }))
    expect(await rules.list(context.root)).toEqual([])
  })

  it.each<[string, Partial<ConsentRule>, Partial<EffectFacts['ignored'][number]>, string]>([
    ['below the folder', { pattern: 'data/private/**' }, { written: ['data/private/x'] }, 'denied'],
    ['by name', { pattern: '*.sqlite' }, { written: ['data/b', 'data/deep/x.sqlite'] }, 'denied'],
    ['that it removed', { tool: 'delete_file', pattern: 'x.md' }, { removed: ['data/x.md'] }, 'denied'],
    ['asked about', { effect: 'ask', pattern: '*.sqlite' }, { written: ['data/x.sqlite'] }, 'asked'],
    ['elsewhere', { pattern: 'data/private/**' }, {}, 'granted'],
    ['that is not removed', { tool: 'delete_file', pattern: 'data/a' }, {}, 'granted'],
  ])('are refused by a rule on a file in them: one %s', async (_, refusing, part, wanted) => {
    const { gates, context } = await gateRig({ mode: 'ask' })
    const allowing: ConsentRule = { ...rule('allow', 'write_file'), pattern: 'data/**' }
    gates.setSessionRules('s1', [allowing, { ...rule('deny', 'write_file'), ...refusing }])
    const found = await gates.askEffects(context, inData(part), '')
    const outcome = found.denied.length > 0 ? 'denied' : found.gates.length > 0 ? 'asked' : 'granted'
    expect(outcome).toBe(wanted)
  })

  it('are denied by a rule on a file in them that came while they were asked about', async () => {
    const { gates, context } = await gateRig({ mode: 'ask' })
    const [gate] = (await gates.askEffects(context, inData(), '')).gates
    gates.setSessionRules('s1', [{ ...rule('deny', 'write_file'), pattern: 'data/a' }])
    expect(await gates.answer(context, yes({ gates, context }, gate?.gateId ?? ''))).toMatchObject({
      kind: 'rejected',
    })
  })
})

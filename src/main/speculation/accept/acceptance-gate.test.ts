import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Ahead, acceptanceBench } from '../../../../tests/fakes/acceptance-bench.ts'
import { gateBench, yes } from '../../../../tests/fakes/gate-bench.ts'
import { tempFolder } from '../../../../tests/fakes/temp-folder.ts'
import type { AgentMode } from '../../../shared/domain/agent-step.ts'
import type { GateAnswerInput, GateCallAnswer } from '../../../shared/domain/gate.ts'
import { type AcceptOutcome, noAnswers } from './acceptable-link.ts'

async function stage(files: Record<string, string>, played: Ahead, mode: AgentMode = 'ask') {
  const desk = await gateBench()
  const { root } = desk.tools
  const bench = acceptanceBench({ dataDir: tempFolder(), root, gates: desk.gates })
  onTestFinished(() => {
    desk.gates.close()
    desk.store.close()
    bench.store.close()
  })
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  bench.session.setState({ ...bench.session.state, mode })
  const link = bench.ahead(played)
  const read = (path: string): string | null =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null
  const accept = (gate: GateAnswerInput | null = null): Promise<AcceptOutcome> =>
    bench.acceptance.accept(link, bench.into, { ...noAnswers, gate })
  return { ...bench, ...desk, desk, link, write, read, accept }
}

function gateIdOf(outcome: AcceptOutcome): string {
  if (outcome.step !== 'gate') throw new Error(`no gate but ${outcome.step}`)
  return outcome.gate.gateId
}

const lines = (...changed: string[]): string =>
  ['a', 'b', 'c', 'd', 'e'].map((l, at) => `${changed[at] || l}\n`).join('')

describe('consent to what was done ahead', () => {
  it('is one gate with the whole diff, shown before anything is there, and its item comes in approved', async () => {
    const files: Ahead['files'] = { 'a.txt': [lines(), lines('A')], 'new.txt': [null, 'n\n'] }
    const bench = await stage({ 'a.txt': lines() }, { files })
    const asked = await bench.accept()
    expect(asked).toMatchObject({ step: 'gate', gate: { kind: 'apply' } })
    // A second window sees the same question.
    expect(await bench.accept()).toEqual(asked)
    const gateId = gateIdOf(asked)
    expect(bench.gates.view('s1', gateId).calls[0]?.files.map(({ path, action }) => [path, action])).toEqual([
      ['a.txt', 'edit'],
      ['new.txt', 'create'],
    ])
    expect(bench.gates.diff('s1', gateId, 'spec-1', 'a.txt')).toMatchObject({ newText: lines('A') })
    expect([bench.read('a.txt'), bench.session.turn]).toEqual([lines(), 1])
    expect(await bench.accept(yes(bench, gateId))).toMatchObject({ step: 'accepted', isAltered: false })
    expect([bench.read('a.txt'), bench.read('new.txt')]).toEqual([lines('A'), 'n\n'])
    expect(bench.session.page({ limit: 1 }).items[0]).toMatchObject({ kind: 'gate', state: 'approved' })
    expect(bench.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
    expect(bench.audit()[0]).toMatchObject({ verdict: 'approved' })
    expect(bench.gates.openGates('s1')).toEqual([])
  })

  it('is not asked where the mode gives it', async () => {
    const bench = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } }, 'auto-edit')
    expect(await bench.accept()).toMatchObject({ step: 'accepted' })
    expect(bench.read('a.txt')).toBe('A\n')
  })

  it.each([
    ['edit', 'deny', 'denied'],
    ['edit', 'ask', 'gate'],
    ['delete_file', 'deny', 'accepted'],
  ] as const)('hears what the rules say of %s: %s', async (tool, effect, step) => {
    const bench = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } }, 'auto-edit')
    bench.rules.saveForFolder(bench.into.root, { effect, tool, pattern: 'a.txt' })
    expect(await bench.accept()).toMatchObject({ step })
    if (step === 'accepted') return
    expect([bench.read('a.txt'), bench.session.turn]).toEqual(['a\n', 1])
  })

  it('can leave single places out; the model is told', async () => {
    const files: Ahead['files'] = {
      'a.txt': [lines(), lines('A', '', '', '', 'E')],
      'new.txt': [null, 'n\n'],
      'mac.txt': ['x\r\ny\r\nz\r\n', 'X\r\ny\r\nZ\r\n'],
    }
    const bench = await stage({ 'a.txt': lines(), 'mac.txt': 'x\r\ny\r\nz\r\n' }, { files })
    const gateId = gateIdOf(await bench.accept())
    const refusedHunks: GateCallAnswer['refusedHunks'] = [
      { path: 'a.txt', hunks: [1] },
      { path: 'new.txt', hunks: [0] },
      { path: 'mac.txt', hunks: [0] },
    ]
    const outcome = await bench.accept(yes(bench, gateId, { calls: { 0: { refusedHunks } } }))
    expect(outcome).toMatchObject({ step: 'accepted', refusedHunks: 3, isAltered: true, isRefused: false })
    expect([bench.read('a.txt'), bench.read('new.txt')]).toEqual([lines('A'), null])
    expect(bench.read('mac.txt')).toBe('x\r\ny\r\nZ\r\n')
    const note = bench.session.log.at(-1)
    expect(note).toMatchObject({ kind: 'note', role: 'user' })
    expect(JSON.parse(note?.text ?? '')).toMatchObject({ refused: ['a.txt', 'new.txt', 'mac.txt'] })
    expect(bench.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
  })

  it('that leaves out where a moved file went leaves it where it was', async () => {
    const files: Ahead['files'] = { 'old.txt': ['text\n', null], 'new.txt': [null, 'text\n'] }
    const bench = await stage({ 'old.txt': 'text\n' }, { files })
    const gateId = gateIdOf(await bench.accept())
    const refusedHunks = [{ path: 'new.txt', hunks: [0] }]
    await bench.accept(yes(bench, gateId, { calls: { 0: { refusedHunks } } }))
    expect([bench.read('old.txt'), bench.read('new.txt')]).toEqual(['text\n', null])
  })

  it('refused is a rejected review: the conversation is there, no file, and the reason is told', async () => {
    const bench = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } })
    const gateId = gateIdOf(await bench.accept())
    const answer = { ...yes(bench, gateId), verdict: 'refuse' as const, reason: 'too loud' }
    const outcome = await bench.accept(answer)
    expect(outcome).toMatchObject({ step: 'accepted', isRefused: true, isAltered: true, files: [] })
    expect(bench.read('a.txt')).toBe('a\n')
    expect(bench.session.turn).toBe(2)
    expect(bench.session.state).toMatchObject({ step: 'REVIEW', status: 'ERROR', staged: null })
    expect(JSON.parse(bench.session.log.at(-1)?.text ?? '')).toMatchObject({
      refused: ['a.txt'],
      reason: 'too loud',
    })
    expect(bench.session.page({ limit: 1 }).items[0]).toMatchObject({ state: 'rejected', reason: 'too loud' })
    expect(bench.store.sessions.changesSince('s1', 1)).toEqual([])
  })

  it('to what has changed under the question is asked again', async () => {
    const files: Ahead['files'] = { 'a.txt': ['a\n', 'A\n'], 'b.txt': ['b\n', 'B\n'] }
    const bench = await stage({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { files })
    const gateId = gateIdOf(await bench.accept())
    bench.write('b.txt', 'theirs\n')
    const outcome = await bench.accept(yes(bench, gateId))
    expect(outcome).toMatchObject({ step: 'conflicts', files: [{ path: 'b.txt', why: 'changed' }] })
    expect([bench.read('a.txt'), bench.session.turn]).toEqual(['a\n', 1])
    expect(bench.gates.openGates('s1')).toEqual([])
  })

  it('answered too early is none, and to a question that is gone it is asked anew', async () => {
    const bench = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } })
    const gateId = gateIdOf(await bench.accept())
    const answer = yes(bench, gateId)
    await expect(bench.accept({ ...answer, sincePaintedMs: 10 })).rejects.toThrow('gate/too-early')
    bench.acceptance.cancel('spec-1')
    expect(gateIdOf(await bench.accept(answer))).not.toBe(gateId)
    expect([bench.read('a.txt'), bench.gates.openGates('s1').length]).toEqual(['a\n', 1])
  })
})

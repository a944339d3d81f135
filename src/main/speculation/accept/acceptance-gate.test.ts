import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { acceptanceRig, type PlayedSpeculation } from '../../../../tests/fakes/rigs/acceptance-rig.ts'
import { gateRig, yes } from '../../../../tests/fakes/rigs/gate-rig.ts'
import type { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import type { GateAnswerInput, GateCallAnswer, GateView } from '../../../shared/domain/session/gate.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type AcceptOutcome, noAnswers } from './acceptable-link.ts'

async function stage(files: Record<string, string>, played: PlayedSpeculation, mode: AgentMode = 'ask') {
  const coordinator = await gateRig()
  const { root } = coordinator.tools
  const { gates: real } = coordinator
  let afterAnswer = (): void => undefined
  const rig = acceptanceRig({
    dataDir: tempFolder(),
    root,
    gates: {
      askApply: (...given) => real.askApply(...given),
      weighStaged: (...given) => real.weighStaged(...given),
      basisVersion: (...given) => real.basisVersion(...given),
      view: (...given) => real.view(...given),
      withdraw: (...given) => real.withdraw(...given),
      async answer(...given) {
        const answer = await real.answer(...given)
        afterAnswer()
        return answer
      },
    },
  })
  onTestFinished(() => {
    coordinator.gates.close()
    coordinator.store.close()
    rig.store.close()
  })
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  rig.session.setState({ ...rig.session.state, mode })
  const link = rig.play(played)
  const read = (path: string): string | null =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null
  let shown: GateView | null = null
  let wasAnswered = false
  const accept = async (gate: GateAnswerInput | null = null): Promise<AcceptOutcome> => {
    wasAnswered ||= gate !== null
    const outcome = await rig.acceptance.accept(link, rig.into, {
      ...noAnswers,
      asked: shown?.gateId ?? null,
      shown,
      wasAnswered,
      gate,
    })
    shown = outcome.step === 'gate' ? outcome.gate : null
    return outcome
  }
  const onceAnswered = (then: () => void): void => {
    afterAnswer = () => {
      afterAnswer = () => undefined
      then()
    }
  }
  return { ...rig, ...coordinator, coordinator, link, write, read, accept, onceAnswered }
}

function gateIdOf(outcome: AcceptOutcome): string {
  if (outcome.step !== 'gate') throw new Error(`no gate but ${outcome.step}`)
  return outcome.gate.gateId
}

const lines = (...changed: string[]): string =>
  ['a', 'b', 'c', 'd', 'e'].map((l, at) => `${changed[at] || l}\n`).join('')

describe('consent to what was speculated', () => {
  it('is one gate with the whole diff, shown before anything is there, and its item comes in approved', async () => {
    const files: PlayedSpeculation['files'] = { 'a.txt': [lines(), lines('A')], 'new.txt': [null, 'n\n'] }
    const rig = await stage({ 'a.txt': lines() }, { files })
    const asked = await rig.accept()
    expect(asked).toMatchObject({ step: 'gate', gate: { kind: 'apply' } })
    // A second window sees the same question.
    expect(await rig.accept()).toEqual(asked)
    const gateId = gateIdOf(asked)
    expect(rig.gates.view('s1', gateId).calls[0]?.files.map(({ path, action }) => [path, action])).toEqual([
      ['a.txt', 'edit'],
      ['new.txt', 'create'],
    ])
    expect(rig.gates.diff('s1', gateId, 'spec-1', 'a.txt')).toMatchObject({ newText: lines('A') })
    expect([rig.read('a.txt'), rig.session.turn]).toEqual([lines(), 1])
    expect(await rig.accept(yes(rig, gateId))).toMatchObject({ step: 'accepted', isAltered: false })
    expect([rig.read('a.txt'), rig.read('new.txt')]).toEqual([lines('A'), 'n\n'])
    expect(rig.session.page({ limit: 1 }).items[0]).toMatchObject({ kind: 'gate', state: 'approved' })
  })

  it('says that a content changes which no line shows', async () => {
    const files: PlayedSpeculation['files'] = { 'a.txt': [lines(), lines().replaceAll('\n', '\r\n')] }
    const rig = await stage({ 'a.txt': lines() }, { files })
    const gateId = gateIdOf(await rig.accept())
    expect(rig.gates.view('s1', gateId).calls[0]?.files).toMatchObject([
      { path: 'a.txt', addedLines: 0, removedLines: 0, isOpaque: true },
    ])
    expect(await rig.accept(yes(rig, gateId))).toMatchObject({ files: [{ isOpaque: true }] })
  })

  it('names the permissions that a file gets, and says what stays', async () => {
    const files: PlayedSpeculation['files'] = {
      'a.txt': [lines(), lines()],
      'run.sh': [null, 'n\n'],
      'new.txt': [null, 'n\n'],
    }
    const modes = { 'a.txt': 0o755, 'run.sh': 0o755, 'new.txt': 0o644 }
    const rig = await stage({ 'a.txt': lines() }, { files, modes })
    const gateId = gateIdOf(await rig.accept())
    expect(rig.gates.view('s1', gateId).calls[0]?.files).toMatchObject([
      { path: 'a.txt', addedLines: 0, removedLines: 0, mode: 0o755 },
      { path: 'run.sh', mode: 0o755 },
      { path: 'new.txt', addedLines: 1 },
    ])
    expect(rig.gates.view('s1', gateId).calls[0]?.files[2]).not.toHaveProperty('mode')
    expect(await rig.accept(yes(rig, gateId))).toMatchObject({
      step: 'accepted',
      files: [{ mode: 0o755 }, {}, {}],
    })
    expect(rig.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
    expect(rig.audit()[0]).toMatchObject({ verdict: 'approved' })
    expect(rig.gates.openGates('s1')).toEqual([])
  })

  it('is not asked where the mode gives it', async () => {
    const rig = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } }, 'auto-edit')
    expect(await rig.accept()).toMatchObject({ step: 'accepted' })
    expect(rig.read('a.txt')).toBe('A\n')
  })

  it.each([
    ['edit', 'deny', 'denied'],
    ['edit', 'ask', 'gate'],
    ['delete_file', 'deny', 'accepted'],
  ] as const)('hears what the rules say of %s: %s', async (tool, effect, step) => {
    const rig = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } }, 'auto-edit')
    rig.rules.saveForFolder(rig.into.root, { effect, tool, pattern: 'a.txt' })
    expect(await rig.accept()).toMatchObject({ step })
    if (step === 'accepted') return
    expect([rig.read('a.txt'), rig.session.turn]).toEqual(['a\n', 1])
  })

  it('is foretold: written, asked about, or forbidden', async () => {
    const rig = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } }, 'auto-edit')
    const outlook = () => rig.acceptance.outlook(rig.link, rig.into)
    expect(await outlook()).toBe('write')
    rig.rules.saveForFolder(rig.into.root, { effect: 'ask', tool: 'edit', pattern: 'a.txt' })
    expect(await outlook()).toBe('ask')
    rig.rules.saveForFolder(rig.into.root, { effect: 'deny', tool: 'edit', pattern: 'a.txt' })
    expect(await outlook()).toBe('denied')
  })

  it('can leave single places out; the model is told', async () => {
    const files: PlayedSpeculation['files'] = {
      'a.txt': [lines(), lines('A', '', '', '', 'E')],
      'new.txt': [null, 'n\n'],
      'mac.txt': ['x\r\ny\r\nz\r\n', 'X\r\ny\r\nZ\r\n'],
    }
    const rig = await stage({ 'a.txt': lines(), 'mac.txt': 'x\r\ny\r\nz\r\n' }, { files })
    const gateId = gateIdOf(await rig.accept())
    const refusedHunks: GateCallAnswer['refusedHunks'] = [
      { path: 'a.txt', hunks: [1] },
      { path: 'new.txt', hunks: [0] },
      { path: 'mac.txt', hunks: [0] },
    ]
    const outcome = await rig.accept(yes(rig, gateId, { calls: { 0: { refusedHunks } } }))
    expect(outcome).toMatchObject({ step: 'accepted', refusedHunks: 3, isAltered: true, isRefused: false })
    expect([rig.read('a.txt'), rig.read('new.txt')]).toEqual([lines('A'), null])
    expect(rig.read('mac.txt')).toBe('x\r\ny\r\nZ\r\n')
    const note = rig.session.log.at(-1)
    expect(note).toMatchObject({ kind: 'note', role: 'user' })
    expect(JSON.parse(note?.text ?? '')).toMatchObject({ refused: ['a.txt', 'new.txt', 'mac.txt'] })
    expect(rig.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
  })

  it('that leaves out where a moved file went leaves it where it was', async () => {
    const files: PlayedSpeculation['files'] = { 'old.txt': ['text\n', null], 'new.txt': [null, 'text\n'] }
    const rig = await stage({ 'old.txt': 'text\n' }, { files })
    const gateId = gateIdOf(await rig.accept())
    const refusedHunks = [{ path: 'new.txt', hunks: [0] }]
    await rig.accept(yes(rig, gateId, { calls: { 0: { refusedHunks } } }))
    expect([rig.read('old.txt'), rig.read('new.txt')]).toEqual(['text\n', null])
  })

  it('refused is a rejected review: the conversation is there, no file, and the reason is told', async () => {
    const rig = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } })
    const gateId = gateIdOf(await rig.accept())
    const answer = { ...yes(rig, gateId), verdict: 'refuse' as const, reason: 'too loud' }
    const outcome = await rig.accept(answer)
    expect(outcome).toMatchObject({ step: 'accepted', isRefused: true, isAltered: true, files: [] })
    expect(rig.read('a.txt')).toBe('a\n')
    expect(rig.session.turn).toBe(2)
    expect(rig.session.state).toMatchObject({ step: 'REVIEW', status: 'ERROR', staged: null })
    expect(JSON.parse(rig.session.log.at(-1)?.text ?? '')).toMatchObject({
      refused: ['a.txt'],
      reason: 'too loud',
    })
    expect(rig.session.page({ limit: 1 }).items[0]).toMatchObject({ state: 'rejected', reason: 'too loud' })
    expect(rig.store.sessions.changesSince('s1', 1)).toEqual([])
  })

  it.each([
    ['a file that was only read', 'r.txt', ['a.txt', 'b.txt']],
    ['one of its files', 'b.txt', ['a.txt', 'b.txt']],
  ])(
    'refused, while %s changed under the question, is a refusal with its reason',
    async (_, changed, refused) => {
      const files: PlayedSpeculation['files'] = { 'a.txt': ['a\n', 'A\n'], 'b.txt': ['b\n', 'B\n'] }
      const reads = { 'r.txt': contentHash('r\n') }
      const rig = await stage({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'r.txt': 'r\n' }, { files, reads })
      const gateId = gateIdOf(await rig.accept())
      rig.write(changed, 'theirs\n')
      const answer = { ...yes(rig, gateId), verdict: 'refuse' as const, reason: 'keep the port' }
      expect(await rig.accept(answer)).toMatchObject({ step: 'accepted', isRefused: true, files: [] })
      expect([rig.read('a.txt'), rig.read(changed)]).toEqual(['a\n', 'theirs\n'])
      expect(JSON.parse(rig.session.log.at(-1)?.text ?? '')).toMatchObject({
        refused,
        reason: 'keep the port',
      })
      expect(rig.session.page({ limit: 1 }).items[0]).toMatchObject({
        state: 'rejected',
        reason: 'keep the port',
      })
      expect(rig.gates.openGates('s1')).toEqual([])
    },
  )

  it('refused when a changed file has closed its question is a refusal, too, and shows what was asked', async () => {
    const rig = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } })
    const gateId = gateIdOf(await rig.accept())
    const answer = { ...yes(rig, gateId), verdict: 'refuse' as const, reason: 'too loud' }
    rig.write('a.txt', 'theirs\n')
    rig.touch('a.txt')
    await expect.poll(() => rig.gates.openGates('s1')).toEqual([])
    expect(await rig.accept(answer)).toMatchObject({ step: 'accepted', isRefused: true })
    expect(rig.session.page({ limit: 1 }).items[0]).toMatchObject({
      kind: 'gate',
      gate: { gateId },
      state: 'rejected',
      reason: 'too loud',
    })
  })

  it('to what has changed under the question is asked again', async () => {
    const files: PlayedSpeculation['files'] = { 'a.txt': ['a\n', 'A\n'], 'b.txt': ['b\n', 'B\n'] }
    const rig = await stage({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { files })
    const gateId = gateIdOf(await rig.accept())
    rig.write('b.txt', 'theirs\n')
    const outcome = await rig.accept(yes(rig, gateId))
    expect(outcome).toMatchObject({ step: 'conflicts', files: [{ path: 'b.txt', why: 'changed' }] })
    expect([rig.read('a.txt'), rig.session.turn]).toEqual(['a\n', 1])
    expect(rig.gates.openGates('s1')).toEqual([])
  })

  it('is asked again where a file changed behind the answer: what was refused stays refused', async () => {
    const files: PlayedSpeculation['files'] = {
      'a.txt': [lines(), lines('A', '', '', '', 'E')],
      'dist/o.js': [null, 'made\n'],
    }
    const played: PlayedSpeculation = { files, ignored: { 'dist/o.js': 'dist' } }
    const rig = await stage({ 'a.txt': lines() }, played, 'auto-edit')
    const gateId = gateIdOf(await rig.accept())
    rig.onceAnswered(() => {
      mkdirSync(join(rig.into.root, 'dist'))
      rig.write('dist/o.js', 'made by a server\n')
    })
    const refusedHunks = [{ path: 'a.txt', hunks: [1] }]
    const answer = yes(rig, gateId, { calls: { 0: { refusedHunks } } })
    const again = gateIdOf(await rig.accept(answer))
    expect(again).not.toBe(gateId)
    expect(rig.read('a.txt')).toBe(lines())
    await rig.accept(yes(rig, again, { calls: { 0: { refusedHunks } } }))
    expect([rig.read('a.txt'), rig.read('dist/o.js')]).toEqual([lines('A'), 'made\n'])
  })

  it('answered too early is none, and to a question that is gone it is asked anew', async () => {
    const rig = await stage({ 'a.txt': 'a\n' }, { files: { 'a.txt': ['a\n', 'A\n'] } })
    const gateId = gateIdOf(await rig.accept())
    const answer = yes(rig, gateId)
    await expect(rig.accept({ ...answer, sincePaintedMs: 10 })).rejects.toThrow('gate/too-early')
    rig.gates.withdraw('s1', gateId)
    expect(gateIdOf(await rig.accept(answer))).not.toBe(gateId)
    expect([rig.read('a.txt'), rig.gates.openGates('s1').length]).toEqual(['a\n', 1])
  })
})

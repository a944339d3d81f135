import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AcceptOutcome, noAnswers } from '../../../src/main/speculation/accept/acceptable-link.ts'
import type { ApplyStep } from '../../../src/main/workspace/apply-change-set.ts'
import type { AgentMode } from '../../../src/shared/domain/session/agent-step.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { acceptanceRig } from '../../fakes/rigs/acceptance-rig.ts'
import { type GateRig, gateRig, yes } from '../../fakes/rigs/gate-rig.ts'

type Rig = GateRig & ReturnType<typeof acceptanceRig>

/** Changes of consent by the user or a file of the project meanwhile, and the expected outcome of the acceptance. */
const changes: [what: string, change: (rig: Rig) => void, step: AcceptOutcome['step']][] = [
  ['the mode plan', (rig) => setMode(rig, 'plan'), 'denied'],
  ['the mode ask', (rig) => setMode(rig, 'ask'), 'gate'],
  ['no trust any more', ({ trust, into }) => trust.set(into.root, false), 'gate'],
  ['a rule that denies', (rig) => saveRule(rig, 'deny', 'a.txt'), 'denied'],
  ['a rule that asks', (rig) => saveRule(rig, 'ask', '*.txt'), 'gate'],
  ['a rule about another file', (rig) => saveRule(rig, 'deny', 'z.txt'), 'accepted'],
  [
    'a rule of the session',
    ({ rules }) => rules.saveForSession('s1', { effect: 'deny', tool: 'edit', pattern: '**' }),
    'denied',
  ],
  ['a rule of the project', ({ into }) => writeProjectRule(into.root), 'denied'],
]

function setMode({ session }: Rig, mode: AgentMode): void {
  session.setState({ ...session.state, mode })
}

function saveRule({ rules, into }: Rig, effect: 'deny' | 'ask', pattern: string): void {
  rules.saveForFolder(into.root, { effect, tool: 'edit', pattern })
}

function writeProjectRule(root: string): void {
  mkdirSync(join(root, '.tsugi'), { recursive: true })
  const rules = [{ effect: 'deny', tool: 'edit', pattern: 'a.txt' }]
  writeFileSync(join(root, '.tsugi/rules.json'), JSON.stringify({ rules }))
}

async function stage(mode: AgentMode, moment: ApplyStep, change: (rig: Rig) => void) {
  const consent = await gateRig()
  const { root } = consent.tools
  let isChanged = false
  const onStep = (step: ApplyStep): void => {
    if (isChanged || step !== moment) return
    isChanged = true
    change(rig)
  }
  const accepting = acceptanceRig({ dataDir: tempFolder(), root, gates: consent.gates, onStep })
  const rig: Rig = { ...consent, ...accepting, store: consent.store }
  onTestFinished(() => {
    consent.gates.close()
    consent.store.close()
    accepting.store.close()
  })
  writeFileSync(join(root, 'a.txt'), 'one\n')
  setMode(rig, mode)
  const link = rig.play({ files: { 'a.txt': ['one\n', 'two\n'], 'new.txt': [null, 'n\n'] } })
  return {
    rig,
    isChanged: () => isChanged,
    accept: (answers = noAnswers) => rig.acceptance.accept(link, rig.into, answers),
    files: () => [readFileSync(join(root, 'a.txt'), 'utf8'), existsSync(join(root, 'new.txt'))],
  }
}

const untouched = ['one\n', false]
const applied = ['two\n', true]

describe('what is said in the middle of an acceptance', () => {
  it.each(changes)('counts where the mode had given it: %s', async (_what, change, step) => {
    const { rig, accept, files, isChanged } = await stage('auto-edit', 'stored', change)
    const outcome = await accept()
    expect([isChanged(), outcome.step]).toEqual([true, step])
    expect(files()).toEqual(step === 'accepted' ? applied : untouched)
    expect(rig.session.turn).toBe(step === 'accepted' ? 2 : 1)
    expect(rig.gates.openGates('s1')).toHaveLength(step === 'gate' ? 1 : 0)
  })

  it.each(changes)('counts where the user had said yes: %s', async (what, change, step) => {
    const { rig, accept, files, isChanged } = await stage('ask', 'planned', change)
    const asked = await accept()
    if (asked.step !== 'gate') throw new Error(asked.step)
    const { gateId } = asked.gate
    const outcome = await accept({ ...noAnswers, asked: gateId, gate: yes(rig, gateId) })
    expect(isChanged()).toBe(true)
    // Setting the present mode changes nothing; any other change that does not deny shows the gate once more.
    const isSame = what === 'the mode ask'
    const next = isSame ? 'accepted' : step === 'denied' ? 'denied' : 'gate'
    expect(outcome.step).toBe(next)
    expect(files()).toEqual(isSame ? applied : untouched)
    if (outcome.step !== 'gate') return
    const again = { ...noAnswers, asked: outcome.gate.gateId, gate: yes(rig, outcome.gate.gateId) }
    expect(await accept(again)).toMatchObject({ step: 'accepted' })
    expect(files()).toEqual(applied)
  })
})

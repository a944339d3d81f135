import { describe, expect, it } from 'vitest'
import { gateData, gateRig } from '../../../tests/fakes/rigs/gate-rig.ts'
import { toolParts } from '../../../tests/fakes/rigs/tool-rig.ts'
import { dice, rolledCall, rolledPaths, rolledRule } from '../../../tests/fakes/rolled-calls.ts'
import { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import { SpeculationConsent } from './speculation-consent.ts'

const seed = 20_261_122
/** `TSUGI_SOAK` plays all of them. */
const rounds = process.env.TSUGI_SOAK === undefined ? 75 : 2_000
const actions: Parameters<typeof rolledCall>[2] = ['edit', 'create', 'delete', 'move']

const namesOf = ({ facts }: PreparedCall): string[] =>
  facts.kind === 'read' ? facts.paths : facts.kind === 'change' ? facts.files.map(({ path }) => path) : []

describe('whatever is called in a speculation, whatever the rules and modes', () => {
  it(`gets no leave that the user would have been asked for, but writes to the overlay (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const roll = dice(seed)
    const rig = await gateRig()
    const { shellCheck } = await toolParts()
    const { kinds } = await gateData()
    for (const path of rolledPaths) rig.tools.write(path, 'x\n')
    const seen = { overlay: 0, granted: 0, denied: 0, boundary: 0, unlooked: 0 }
    for (let round = 0; round < rounds; round++) {
      const sessionId = `s${round}`
      const context = { ...rig.context, sessionId: 'fork', mode: roll.one(AgentMode.options) }
      const stops = roll.next(4) === 0
      const rules = Array.from({ length: roll.next(5) }, (_, index) => rolledRule(roll, index))
      rig.trust.set(context.root, roll.next(4) > 0)
      rig.gates.setSessionRules(sessionId, rules)
      let hasWrites = false
      const met: SpeculationBoundary[] = []
      const coordinator = new SpeculationConsent({
        gates: rig.gates,
        shell: shellCheck,
        sessionId,
        hasWrites: () => hasWrites,
        hasSandbox: async () => false,
        stopsAtFirstWrite: () => stops,
        onBoundary: (boundary) => void met.push(boundary),
      })
      for (let answer = 0; answer < 2; answer++) {
        const calls = Array.from({ length: 1 + roll.next(3) }, (_, index) =>
          rolledCall(roll, `${round}-${answer}-${index}`, actions),
        )
        const isOver = met.length > 0
        const found = await coordinator.ask(context, calls, '', null)
        const normal = await rig.gates.ask({ ...context, sessionId }, calls, '')
        rig.gates.withdraw(sessionId)
        const end = isOver ? 0 : calls.findIndex(({ callId }) => callId === met[0]?.callId)
        expect(found.gates).toEqual([])
        expect(met.length).toBeLessThan(2)
        for (const [index, call] of calls.entries()) {
          const about = ({ callId }: { callId: string }): boolean => callId === call.callId
          const what = JSON.stringify({
            facts: call.facts,
            tool: call.tool,
            rules,
            mode: context.mode,
            hasWrites,
          })
          const record = found.records.find(about)
          const denial = found.denied.find(about)
          if (end >= 0 && index >= end) {
            expect([record, denial], what).toEqual([undefined, undefined])
            seen.unlooked += 1
            continue
          }
          expect(record === undefined, what).toBe(denial !== undefined)
          if (denial !== undefined) {
            const usual = normal.denied.find(about)
            // A change that its acceptance would deny is denied at once.
            const [staged] = await rig.gates.weighStaged({ ...context, sessionId }, [call])
            if (usual === undefined) expect(staged?.verdict.kind, what).toBe('deny')
            else expect(usual, what).toEqual(denial)
            seen.denied += 1
            continue
          }
          expect(record?.hash, what).toBe(call.hash)
          expect(normal.denied.find(about), what).toBeUndefined()
          const { facts } = call
          if (facts.kind === 'change') {
            expect(context.mode === 'plan' || (context.mode === 'ask' && stops), what).toBe(false)
            const isMoved = facts.files.some(({ to }) => to !== null)
            if (isMoved) expect(namesOf(call).some(kinds.isSecret), what).toBe(false)
            if (normal.records.find(about) === undefined) {
              expect(record, what).toMatchObject({ by: 'grant', name: 'overlay' })
              seen.overlay += 1
            }
            hasWrites = true
          } else {
            expect(normal.records.find(about), what).toEqual(record)
            expect(namesOf(call).some(kinds.isSecret), what).toBe(false)
            if (facts.kind === 'command') {
              expect(hasWrites, what).toBe(false)
              expect(['ls', 'cat src/a.ts'], what).toContain(facts.line)
            }
          }
          seen.granted += 1
        }
      }
      seen.boundary += met.length
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(rounds / 5)
    rig.gates.close()
  })
})

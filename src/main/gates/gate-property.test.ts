import { describe, expect, it } from 'vitest'
import { gateData, gateRig, yes } from '../../../tests/fakes/rigs/gate-rig.ts'
import { dice, pathPatterns, rolledCall, rolledPaths, rolledRule } from '../../../tests/fakes/rolled-calls.ts'
import { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import { diffHunks } from '../../shared/text/difference/hunks.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'

const seed = 20_261_122
/** `TSUGI_SOAK` plays the long series. */
const rounds = process.env.TSUGI_SOAK === undefined ? 200 : 10_000
/** Decides whether a rule denies a call, by a second and simpler implementation. */
function isDenied({ tool, facts }: PreparedCall, rule: ConsentRule): boolean {
  if (rule.effect !== 'deny') return false
  if (facts.kind === 'command') {
    if (rule.pattern === '.env') return facts.line.includes('.env') && [null, 'read_file'].includes(rule.tool)
    if (rule.tool !== null && rule.tool !== 'run_command') return false
    if (rule.pattern === '**') return true
    if (pathPatterns.includes(rule.pattern)) return false
    const wanted = rule.pattern.split(' ').filter((word) => word !== '*')
    return new RegExp(`(^|[^\\w.])${wanted.join('\\s+')}($|[^\\w.])`).test(facts.line)
  }
  if (rule.tool !== null && rule.tool !== tool) return false
  const named =
    facts.kind === 'read' ? facts.paths : facts.kind === 'change' ? facts.files.map(({ path }) => path) : []
  return named.some((path) => {
    if (rule.pattern === '**') return true
    if (rule.pattern === 'src/**') return path.startsWith('src/')
    if (rule.pattern === '*.txt') return path.endsWith('.txt')
    return path === rule.pattern.replace(/^\//, '')
  })
}

describe('whatever is called, whatever the rules and modes', () => {
  it(`nothing that is denied is granted or asked about, and secrets never pass (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const roll = dice(seed)
    const rig = await gateRig()
    const { kinds } = await gateData()
    for (const path of rolledPaths) rig.tools.write(path, 'x\n')
    let denials = 0
    for (let round = 0; round < rounds; round++) {
      const sessionId = `s${round}`
      const rules = Array.from({ length: roll.next(9) }, (_, index) => rolledRule(roll, index))
      const calls = Array.from({ length: 1 + roll.next(4) }, (_, index) =>
        rolledCall(roll, `${round}-${index}`),
      )
      const isTrusted = roll.next(4) > 0
      const context = { ...rig.context, sessionId, mode: roll.one(AgentMode.options) }
      rig.trust.set(context.root, isTrusted)
      rig.gates.setSessionRules(sessionId, rules)
      const found = await rig.gates.ask(context, calls, '')
      const said = [
        ...found.records.map(({ callId }) => callId),
        ...found.denied.map(({ callId }) => callId),
        ...found.gates.flatMap(({ items }) => items.map(({ callId }) => callId)),
      ]
      expect(said.sort()).toEqual(calls.map(({ callId }) => callId).sort())
      for (const call of calls) {
        const what = JSON.stringify({
          facts: call.facts,
          tool: call.tool,
          rules,
          mode: context.mode,
          isTrusted,
        })
        const isOut = found.denied.some(({ callId }) => callId === call.callId)
        const record = found.records.find(({ callId }) => callId === call.callId)
        if (rules.some((rule) => isDenied(call, rule))) {
          denials += 1
          expect(isOut, what).toBe(true)
        }
        if (record !== undefined) expect(record.hash, what).toBe(call.hash)
        const { facts } = call
        if (facts.kind === 'command') {
          if (!isTrusted) expect(isOut, what).toBe(true)
          if (/\.env|\.\.|sh -c|\$\(|"broken/.test(facts.line)) expect(record, what).toBeUndefined()
        } else {
          const named =
            facts.kind === 'read'
              ? facts.paths
              : facts.kind === 'change'
                ? facts.files.map(({ path }) => path)
                : []
          if (named.some((path) => kinds.isSecret(path))) expect(record, what).toBeUndefined()
          if (facts.kind === 'change' && named.includes('AGENTS.md')) expect(record, what).toBeUndefined()
          if (facts.kind === 'change' && context.mode === 'plan') expect(isOut, what).toBe(true)
        }
      }
    }
    expect(denials).toBeGreaterThan(20)
    rig.gates.close()
  })

  it(`an approval carries only hashes that were shown, or that follow from shown places (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const roll = dice(seed + 1)
    const rig = await gateRig()
    let partial = 0
    for (let round = 0; round < rounds; round++) {
      const context = { ...rig.context, sessionId: `t${round}` }
      const calls = [0, 1, 2].map((index) => rolledCall(roll, `${round}-${index}`))
      const { gates } = await rig.gates.ask(context, calls, '')
      for (const { gateId } of gates) {
        const view = rig.gates.view(context.sessionId, gateId)
        const input = yes({ gates: rig.gates, context }, gateId)
        const answers = input.answers.map((answer, index) => {
          const files = view.calls[index]?.files ?? []
          const refusedHunks = files.map(({ path, hunks }) => {
            const all = Array.from({ length: hunks + (roll.next(8) === 0 ? 1 : 0) }, (_, hunk) => hunk)
            return { path, hunks: all.filter(() => roll.next(3) === 0) }
          })
          const shownHash = roll.next(10) === 0 ? 'made up' : answer.shownHash
          return { ...answer, shownHash, refusedHunks, isApproved: roll.next(4) > 0 }
        })
        const answer = await rig.gates.answer(context, { ...input, answers })
        if (answer.kind !== 'approved') {
          expect(answer).not.toHaveProperty('calls')
          continue
        }
        const running = answer.answers.filter(({ hash }) => hash !== null)
        expect(answer.calls.map(({ callId, hash }) => [callId, hash])).toEqual(
          running.map(({ callId, hash }) => [callId, hash]),
        )
        for (const { callId, shownHash, hash, isPartial } of answer.answers) {
          const shown = view.calls.find((call) => call.callId === callId)
          const given = answers.find((one) => one.callId === callId)
          const whole = calls.find((call) => call.callId === callId)
          expect(shownHash).toBe(shown?.hash)
          expect(given?.shownHash).toBe(shown?.hash)
          if (hash === null) continue
          expect(given?.isApproved).toBe(true)
          expect(hash).toBe(isPartial ? whole?.without(given?.refusedHunks ?? []).hash : shownHash)
          if (isPartial) partial += 1
          expect(isLeft(whole, given?.refusedHunks ?? [])).toBe(true)
        }
      }
    }
    expect(partial).toBeGreaterThan(10)
    rig.gates.close()
  })
})

/** Returns true where a part of the call is not refused. */
function isLeft(
  call: PreparedCall | undefined,
  refused: readonly { path: string; hunks: number[] }[],
): boolean {
  if (call?.facts.kind !== 'change') return true
  return call.facts.files.some(({ path, oldText, newText }) => {
    const refusedHere = refused.find((one) => one.path === path)?.hunks ?? []
    return diffHunks(oldText ?? '', newText ?? '').length > refusedHere.length || refusedHere.length === 0
  })
}

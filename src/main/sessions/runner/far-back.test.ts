import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import { type Stage, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'
import type { SessionEvent } from '../../../shared/domain/session/session.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'

const plan = { decide: { next_step: 'continue', prompt_pattern: 'base_main_specialized' } } as const
const all = (stage: Stage): SessionItem[] => stage.session.page({ limit: 1000 }).items
const gates = (stage: Stage): string[] =>
  all(stage).flatMap((item) => (item.kind === 'gate' ? `${item.gate.gateId} ${item.state}` : []))

/** Adds enough messages that the waiting item is neither on the last page nor among the last 200 items. */
function talkOn(stage: Stage): void {
  for (let count = 0; count < 260; count++)
    stage.session.add({ kind: 'user', how: 'beside', segments: [{ kind: 'text', text: `${count}` }] })
}

async function snapshotOf(stage: Stage): Promise<Extract<SessionEvent, { type: 'snapshot' }>> {
  for await (const event of stage.session.watch(undefined, new AbortController().signal))
    if (event.type === 'snapshot') return event
  throw new Error('no snapshot')
}

describe('what waits far back in a conversation', () => {
  it('is in what a window is shown first, with all that came after it', async () => {
    const stage = setStage({ isGated: () => true })
    stage.play(plan, { calls: [{ name: 'read', args: '.env' }] })
    stage.say('go')
    await stage.idle()
    talkOn(stage)
    const { items, hasMore } = await snapshotOf(stage)
    expect(items.filter(({ kind }) => kind === 'gate')).toHaveLength(1)
    expect(items.map(({ seq }) => seq)).toEqual(items.map((_, at) => (items[0]?.seq ?? 0) + at))
    expect(hasMore).toBe(true)
  })

  it('is asked again after the end of the host, once and in its place', async () => {
    const stage = setStage({ isGated: () => true })
    stage.play(plan, { calls: [{ name: 'read', args: '.env' }] })
    stage.say('go')
    await stage.idle()
    talkOn(stage)
    const next = stage.reopen()
    const reopened: string[] = []
    await next.runner.resume(async (calls) => {
      reopened.push(...calls.map(({ title }) => title))
      next.restoreGates(calls)
      return []
    })
    await next.idle()
    expect(reopened).toEqual(['.env'])
    expect(gates(next)).toEqual(['gate-1 open'])
    next.play({ say: ['read it'] }, {}, { say: ['done'] })
    await next.runner.answerGate({
      gateId: 'gate-1',
      verdict: 'approve',
      sincePaintedMs: 1000,
      remember: null,
      reason: null,
      answers: [],
    })
    await next.idle()
    expect(gates(next)).toEqual(['gate-1 approved'])
    expect(next.ran).toEqual(['.env'])
  })

  it('reads as ended where it was running or being written', async () => {
    const stage = setStage({ run: () => new Promise(() => undefined) })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] })
    stage.say('go')
    await eventually(() => expect(stage.ran).toEqual(['a']))
    const answer = { kind: 'answer', purpose: 'beside', reasoning: '', isCut: false, usage: null } as const
    stage.session.add({ ...answer, state: 'writing', text: 'half', modelName: 'script', isDemo: false })
    talkOn(stage)
    const next = stage.reopen()
    await next.runner.resume(async () => [])
    await next.idle()
    const open = all(next).flatMap((item) =>
      item.kind === 'call' || (item.kind === 'answer' && item.text === 'half') ? item.state : [],
    )
    expect(open).toEqual(['refused', 'stopped'])
    expect(next.session.openItems()).toEqual([])
  })
})

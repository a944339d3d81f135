import { describe, expect, it } from 'vitest'
import { setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'

const read = (args: string) => ({ name: 'read', args })
const write = (args: string) => ({ name: 'write', args })

/** Holds an answer up until `go` is called. */
function held(): { until: Promise<void>; go: () => void } {
  let go = (): void => undefined
  const until = new Promise<void>((resolve) => {
    go = resolve
  })
  return { until, go }
}

describe('what the user says during a turn of the direct path', () => {
  it('stands in the next request of that turn, behind the results of the calls under way', async () => {
    const stage = setStage({ isDirect: true })
    const { until, go } = held()
    stage.play({ calls: [read('a')], until }, { calls: [write('b')] }, { say: ['Done.'] })
    stage.say('mend it')
    await new Promise((resolve) => setTimeout(resolve, 5))
    stage.say('only b', 'steer')
    go()
    await stage.idle()
    expect(stage.logged).toEqual([])
    expect(stage.asked).toHaveLength(3)
    expect(stage.ran).toEqual(['a', 'b'])
    expect(stage.session.turn).toBe(1)
    const second = stage.asked[1]?.log.map(({ kind, text }) => `${kind} ${text}`.trim())
    expect(second?.slice(-3)).toEqual(['work', 'result result of a', 'message only b'])
  })

  it('is answered in the same turn where the model was about to end it', async () => {
    const stage = setStage({ isDirect: true })
    const { until, go } = held()
    stage.play({ say: ['All done.'], until }, { say: ['And that too.'] })
    stage.say('mend it')
    await new Promise((resolve) => setTimeout(resolve, 5))
    stage.say('and the other?', 'steer')
    go()
    await stage.idle()
    expect(stage.asked).toHaveLength(2)
    expect(stage.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
    const replies = stage.session.page({ limit: 50 }).items.filter(({ kind }) => kind === 'answer')
    expect(replies.map((item) => item.kind === 'answer' && item.purpose)).toEqual(['work', 'reply'])
  })

  it.each([
    ['approve', null, 'result of a'],
    ['refuse', 'not now', 'rejected: not now'],
    // Without a reason the words say what is wanted instead.
    ['refuse', null, 'rejected: only b'],
  ] as const)(
    'waits at a gate for its answer, %s (%s), and stands behind it',
    async (verdict, reason, result) => {
      const stage = setStage({ isDirect: true, isGated: ({ access }) => access !== 'read' })
      stage.play({ calls: [write('a')] }, { say: ['Done.'] })
      stage.say('mend it')
      await stage.idle()
      stage.say('only b', 'steer')
      await stage.idle()
      expect(stage.asked).toHaveLength(1)
      const gateId = stage.session.state.gates[0]?.gateId ?? ''
      const answer = { gateId, verdict, reason, sincePaintedMs: 1000, answers: [], remember: null }
      await stage.runner.answerGate(answer)
      await stage.idle()
      expect(stage.ran).toEqual(verdict === 'approve' ? ['a'] : [])
      expect(stage.asked).toHaveLength(2)
      expect(stage.session.turn).toBe(1)
      const second = stage.asked[1]?.log.map(({ kind, text }) => `${kind} ${text}`.trim())
      expect(second?.slice(-3)).toEqual(['work', `result ${result}`, 'message only b'])
      expect(stage.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
    },
  )

  it.each([
    ['ends at the gate', {}],
    ['ends at the gate, in a turn that was compacted', { compactsTo: 10 }],
  ])('is read in the next host where this one %s', async (_name, options) => {
    const stage = setStage({ isDirect: true, isGated: ({ access }) => access !== 'read', ...options })
    stage.play({ calls: [write('a')] })
    stage.say('mend it')
    await stage.idle()
    stage.say('only b', 'steer')
    stage.say('only b', 'steer')
    await stage.idle()
    const next = stage.reopen()
    next.play({ say: ['Done.'] })
    await next.runner.resume(async (calls) => {
      next.restoreGates(calls)
      return []
    })
    const gateId = next.session.state.gates[0]?.gateId ?? ''
    await next.runner.answerGate({
      gateId,
      sincePaintedMs: 1000,
      verdict: 'approve',
      reason: null,
      answers: [],
      remember: null,
    })
    await next.idle()
    expect(next.ran).toEqual(['a'])
    const messages = next.asked[0]?.log.filter(({ kind }) => kind === 'message').map(({ text }) => text)
    expect(messages).toEqual(['mend it', 'only b', 'only b'])
  })

  it('leaves the memory with a gate open, and what was noted meanwhile is told all the same', async () => {
    const stage = setStage({ isDirect: true, isGated: ({ access }) => access !== 'read' })
    stage.play({ calls: [write('a')] })
    stage.say('mend it')
    await stage.idle()
    stage.say('only b', 'steer')
    stage.runner.tell({ role: 'user', kind: 'note', text: 'a folder was added' })
    stage.runner.keepHeld()
    const next = stage.reopen()
    next.play({ say: ['Done.'] })
    await next.runner.resume(async (calls) => {
      next.restoreGates(calls)
      return []
    })
    const gateId = next.session.state.gates[0]?.gateId ?? ''
    const answer = { gateId, verdict: 'approve', reason: null, sincePaintedMs: 1000 } as const
    await next.runner.answerGate({ ...answer, answers: [], remember: null })
    await next.idle()
    const told = next.asked[0]?.log.slice(-4).map(({ kind, text }) => `${kind} ${text}`.trim())
    expect(told).toEqual(['work', 'note a folder was added', 'result result of a', 'message only b'])
  })

  it('is no reason of a refusal where it was a question beside the gate: the turn ends', async () => {
    const stage = setStage({ isDirect: true, isGated: ({ access }) => access !== 'read' })
    stage.play({ calls: [write('a')] }, { say: ['It writes a.'] })
    stage.say('mend it')
    await stage.idle()
    stage.runner.beside([{ kind: 'text', text: 'what does it do?' }])
    await stage.idle()
    const gateId = stage.session.state.gates[0]?.gateId ?? ''
    await stage.runner.answerGate({
      gateId,
      sincePaintedMs: 1000,
      verdict: 'refuse',
      reason: null,
      answers: [],
      remember: null,
    })
    await stage.idle()
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['work', 'beside'])
    expect(stage.session.state).toMatchObject({ step: 'PLANNING', status: 'REQUIRES_USER_INPUT' })
    expect(stage.session.state.memory.corrections).toEqual([])
    stage.play({ say: ['Fine.'] })
    stage.say('never mind')
    await stage.idle()
    const told = stage.asked[2]?.log.slice(-4).map(({ kind, text }) => `${kind} ${text}`)
    expect(told).toEqual([
      'result rejected',
      'message what does it do?',
      'reply It writes a.',
      'message never mind',
    ])
  })
})

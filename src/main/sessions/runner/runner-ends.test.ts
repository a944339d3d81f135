import { describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import {
  type Play,
  type Stage,
  type StageOptions,
  setStage,
} from '../../../../tests/fakes/sessions/runner-stage.ts'
import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import { AppError } from '../../../shared/errors.ts'

const plan: Play = { decide: { next_step: 'continue', prompt_pattern: 'base_main_specialized' } }
const runsUntilStopped: NonNullable<StageOptions['run']> = (_call, { signal }) =>
  new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve({ isOk: false, text: 'stopped', view: { kind: 'text' } })),
  )

describe('a session that is closed while it works', () => {
  it('asks the model nothing more, and runs nothing more', async () => {
    const stage = setStage({ run: runsUntilStopped })
    const calls = [{ name: 'read', args: 'after' }]
    stage.play(plan, { calls: [{ name: 'read', args: 'long' }] }, { calls }, {}, {})
    stage.say('go')
    await eventually(() => expect(stage.ran).toEqual(['long']))
    await stage.runner.close()
    await stage.idle()
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['decide', 'work'])
    expect(stage.ran).toEqual(['long'])
    expect(stage.session.log.at(-1)).toMatchObject({ kind: 'result', text: 'stopped' })
  })

  it('takes no message any more', async () => {
    const stage = setStage()
    await stage.runner.close()
    expect(() => stage.say('hello')).toThrow(new AppError({ code: 'session/not-found', sessionId: 's1' }))
    expect(stage.session.turn).toBe(0)
  })
})

describe('a stop while consent is being looked into', () => {
  it('leaves no gate behind that nobody can answer', async () => {
    let finishCheck = (): void => undefined
    const checksUntil = new Promise<void>((resolve) => {
      finishCheck = resolve
    })
    const stage = setStage({ isGated: () => true, checksUntil })
    stage.play(plan, { calls: [{ name: 'read', args: 'secret' }] })
    stage.say('go')
    await eventually(() => expect(stage.session.state.calls).toHaveLength(1))
    expect(stage.session.state.gates).toEqual([])
    stage.runner.stop()
    finishCheck()
    await stage.idle()
    expect(stage.session.state.gates).toEqual([])
    expect(stage.withdrawn).toEqual(['gate-1'])
  })
})

describe('a mode that is changed while consent is being looked into', () => {
  it.each([
    ['full', 'ask', [], ['gate-1']],
    ['ask', 'full', ['a'], []],
  ] as const)('from %s to %s: the new one counts', async (before, after, ran, open) => {
    let finishCheck = (): void => undefined
    const checksUntil = new Promise<void>((resolve) => {
      finishCheck = resolve
    })
    const stage = setStage({ isGated: (_call, mode) => mode === 'ask', checksUntil })
    stage.runner.dispatch({ type: 'user.mode', mode: before })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] }, { say: [] })
    stage.say('go')
    await eventually(() => expect(stage.session.state.calls).toMatchObject([{ stage: 'asked' }]))
    stage.runner.dispatch({ type: 'user.mode', mode: after })
    finishCheck()
    await stage.idle()
    expect(stage.ran).toEqual(ran)
    expect(stage.session.state.gates.map(({ gateId }) => gateId)).toEqual(open)
    expect(stage.withdrawn).toEqual(before === 'ask' ? ['gate-1'] : [])
  })
})

describe('a call that waits behind another, let through without a question', () => {
  it('is not carried out where that does not hold any more when its turn comes', async () => {
    const asked: string[] = []
    const revalidate = ({ callId }: { callId: string }) => {
      asked.push(callId)
      return callId === 'call-2' ? 'the folder is not trusted' : callId === 'call-3' ? '' : null
    }
    const stage = setStage({ revalidate })
    const calls = ['a', 'b', 'c', 'd'].map((args) => ({ name: 'read', args }))
    stage.play(plan, { calls }, { say: [] }, {}, {})
    stage.say('go')
    await stage.idle()
    expect(stage.ran).toEqual(['a', 'd'])
    expect(asked).toEqual(['call-2', 'call-3', 'call-4'])
    const results = stage.session.log.filter(({ kind }) => kind === 'result')
    expect(results.map(({ text }) => text)).toEqual([
      'result of a',
      'denied: the folder is not trusted',
      'not-run',
      'result of d',
    ])
  })

  it('is carried out where the user has approved it', async () => {
    const stage = setStage({ isGated: () => true, revalidate: () => 'no' })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] }, { say: [] }, {}, {})
    stage.say('go')
    await stage.idle()
    const answer = { gateId: 'gate-1', verdict: 'approve' as const, reason: null, answers: [] }
    await stage.runner.answerGate({ ...answer, sincePaintedMs: 1000, remember: null })
    await stage.idle()
    expect(stage.ran).toEqual(['a'])
  })
})

describe('a call whose result cannot be kept', () => {
  it('has ended all the same, and the session goes on', async () => {
    const stage = setStage()
    const full = new AppError({ code: 'file/disk-full', path: '' })
    vi.spyOn(stage.session, 'count').mockImplementation((more) => {
      if (more.calls !== undefined) throw full
    })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] }, {}, { say: ['again'] })
    stage.say('go')
    await stage.idle()
    expect(stage.session.state).toMatchObject({ status: 'ERROR', calls: [] })
    stage.say('once more')
    await stage.idle()
    expect(stage.session.state.status).toBe('REQUIRES_USER_INPUT')
  })
})

describe('a session that is reset after the disk was full', () => {
  it('offers no way on from the failure, loses nothing that was said, and works', async () => {
    const stage = setStage()
    const full = new AppError({ code: 'file/disk-full', path: '' })
    const count = vi.spyOn(stage.session, 'count').mockImplementation((more) => {
      if (more.calls !== undefined) throw full
    })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] })
    stage.say('go')
    await stage.idle()
    expect(stage.session.view().canRecover).toBe(true)
    stage.runner.dispatch({ type: 'user.reset' })
    await stage.idle()
    expect(stage.session.view()).toMatchObject({ canRecover: false, activity: null })
    count.mockRestore()
    stage.play(plan, { say: ['done'] })
    stage.say('once more')
    await stage.idle()
    expect(stage.session.state.status).toBe('REQUIRES_USER_INPUT')
    const messages = stage.session.log.flatMap(({ kind, text }) => (kind === 'message' ? text : []))
    expect(messages).toEqual(['go', 'once more'])
  })
})

describe('the end of a turn', () => {
  /** Plays a turn to its gate. `ends`: how turns have ended. */
  async function atGate(): Promise<{ stage: Stage; ends: TurnEnd[] }> {
    const ends: TurnEnd[] = []
    const events = { turnEnded: (how: TurnEnd) => void ends.push(how), gateOpened: () => undefined }
    const stage = setStage({ isGated: () => true, parts: { events } })
    stage.play(plan, { calls: [{ name: 'read', args: '.env' }] })
    stage.say('go')
    await stage.idle()
    expect(ends).toEqual(['waits-at-gate'])
    return { stage, ends }
  }

  it.each(['user.reset', 'user.stop'] as const)('is reported once more for %s at a gate', async (type) => {
    const { stage, ends } = await atGate()
    stage.runner.dispatch({ type })
    await stage.idle()
    expect(ends).toEqual(['waits-at-gate', 'stopped'])
  })

  it('is none where a failure comes after it, which is shown', async () => {
    const { stage, ends } = await atGate()
    stage.runner.dispatch({ type: 'error', failure: 'workspace-gone' })
    await stage.idle()
    expect(ends).toEqual(['waits-at-gate'])
    const shown = { kind: 'error', failure: 'workspace-gone', isRetried: false }
    expect(stage.session.page({ limit: 1 }).items).toMatchObject([shown])
  })
})

describe('a compaction that the user asked for', () => {
  it('tells the one who asked of a failure of the model, which is no bug', async () => {
    const failure = new AppError({ code: 'model/bad-response', address: 'http://127.0.0.1:1', reason: 'cut' })
    const stage = setStage({ compactFails: failure })
    await expect(stage.runner.compact()).rejects.toBe(failure)
    await stage.idle()
    expect(stage.logged).toEqual([])
    expect(stage.written.map(({ event }) => event)).toContain('session.prompt')
  })
})

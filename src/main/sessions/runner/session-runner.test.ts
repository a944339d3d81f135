import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import {
  type Play,
  type Stage,
  type StageOptions,
  setStage,
} from '../../../../tests/fakes/sessions/runner-stage.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { AppError } from '../../../shared/errors.ts'

const plan: Play = { decide: { next_step: 'continue', prompt_pattern: 'base_main_specialized' } }
const done: Play = { say: [] }

function items(stage: Stage): SessionItem[] {
  return stage.session.page({ limit: 200 }).items
}
function kinds(stage: Stage): string[] {
  return items(stage).map((item) => ('state' in item ? `${item.kind} ${item.state}` : item.kind))
}
function log(stage: Stage): string[] {
  return stage.session.log.map(({ kind, text }) => `${kind}: ${text}`)
}
function place({ session }: Stage): string {
  return `${session.state.step} ${session.state.status}`
}
function answer(gateId: string, verdict: 'approve' | 'refuse', reason: string | null = null) {
  return { gateId, verdict, reason, sincePaintedMs: 1000, answers: [], remember: null }
}

describe('a message', () => {
  it('is decided on, answered and kept, prompt and items', async () => {
    const stage = setStage()
    stage.play({}, { say: ['Hel', 'lo'] })
    stage.say('Hi there')
    await stage.idle()
    expect(kinds(stage)).toEqual(['user', 'decision', 'answer finished'])
    expect(items(stage)[2]).toMatchObject({ text: 'Hello', purpose: 'reply', modelName: 'script' })
    expect(log(stage)).toEqual([
      'instructions: be kind',
      'message: Hi there',
      'decision: "pending_user"',
      'reply: Hello',
    ])
    expect(stage.session.session.title).toBe('Hi there')
    expect(place(stage)).toBe('PLANNING REQUIRES_USER_INPUT')
    expect(stage.session.view().activity).toBeNull()
  })

  it('is said to be written while words stream, and to use tools only without them', async () => {
    const stage = setStage()
    const held = Promise.withResolvers<void>()
    const work = { next_step: 'continue', prompt_pattern: 'base_main_specialized' } as const
    stage.play({ decide: work }, { say: ['I read '], until: held.promise }, {})
    stage.say('read it')
    await eventually(() => expect(stage.session.view().activity?.phase).toBe('writing'))
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['decide', 'work'])
    held.resolve()
    await stage.idle()

    const silent = setStage()
    const waits = Promise.withResolvers<void>()
    silent.play({ decide: work }, { until: waits.promise }, {})
    silent.say('read it')
    await eventually(() => expect(silent.session.view().activity?.phase).toBe('calling'))
    waits.resolve()
    await silent.idle()
  })

  it('hears the folder’s instructions once the user trusts it, where the prompt has come to by then', async () => {
    let isTrusted = false
    const stage = setStage({ isTrusted: () => isTrusted })
    stage.play({}, { say: ['a'] }, {}, { say: ['b'] }, {}, { say: ['c'] })
    const said = ['one', 'two', 'three']
    for (const text of said) {
      stage.say(text)
      await stage.idle()
      isTrusted = true
    }
    const heard = stage.session.log.filter(({ kind }) => ['instructions', 'message'].includes(kind))
    expect(heard.map(({ text, turn }) => `${turn} ${text}`)).toEqual([
      '1 one',
      '2 be kind',
      '2 two',
      '3 three',
    ])
  })

  it('leaves a line in the log where a field of its decision was cut to its limit', async () => {
    const stage = setStage()
    stage.play({ clipped: ['rationale', 'state_delta.goal'] }, { say: ['Yes.'] })
    stage.say('Hi')
    await stage.idle()
    expect(stage.written.filter(({ event }) => event === 'session.clipped')).toEqual([
      { event: 'session.clipped', fields: { sessionId: 's1', fields: ['rationale', 'state_delta.goal'] } },
    ])
  })

  it('works with tools: every call has its result before the model is asked again', async () => {
    const stage = setStage()
    const calls = ['a', 'b'].map((args) => ({ name: 'read', args }))
    stage.play(plan, { say: ['I look.'], calls }, done, {}, { say: ['It is so.'] })
    stage.say('Look')
    await stage.idle()
    expect(stage.ran).toEqual(['a', 'b'])
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['decide', 'work', 'work', 'decide', 'reply'])
    expect(stage.asked[2]?.log.slice(-2).map(({ text, callId }) => [callId, text])).toEqual([
      ['call-1', 'result of a'],
      ['call-2', 'result of b'],
    ])
    expect(kinds(stage).filter((kind) => kind.startsWith('call'))).toEqual(['call done', 'call done'])
  })

  it('that waits while a turn runs begins when it has ended', async () => {
    const stage = setStage()
    let go = (): void => undefined
    const until = new Promise<void>((resolve) => {
      go = resolve
    })
    stage.play({}, { say: ['one'], until }, {}, { say: ['two'] })
    stage.say('first')
    stage.session.enqueue({ messageId: 'q', segments: [{ kind: 'text', text: 'second' }] })
    expect(stage.runner.isBusy).toBe(true)
    go()
    await stage.idle()
    expect(items(stage).flatMap((item) => (item.kind === 'answer' ? item.text : []))).toEqual(['one', 'two'])
    expect(stage.session.queue).toEqual([])
  })

  it('steers: what was written stays in the prompt before it', async () => {
    const stage = setStage()
    stage.play({}, { say: ['I was say'], until: new Promise(() => undefined) }, {}, { say: ['Now this.'] })
    stage.say('first')
    await new Promise((resolve) => setTimeout(resolve, 5))
    stage.say('no, that', 'steer')
    await stage.idle()
    expect(log(stage).slice(1)).toEqual([
      'message: first',
      'decision: "pending_user"',
      'reply: I was say',
      'message: no, that',
      'decision: "pending_user"',
      'reply: Now this.',
    ])
    expect(kinds(stage)).toContain('answer stopped')
  })
})

describe('a stop', () => {
  it('keeps the partial text and asks nothing more', async () => {
    const stage = setStage()
    stage.play({}, { say: ['half'], until: new Promise(() => undefined) })
    stage.say('go')
    await new Promise((resolve) => setTimeout(resolve, 5))
    stage.runner.stop()
    await stage.idle()
    expect(items(stage).at(-1)).toMatchObject({ kind: 'answer', state: 'stopped', text: 'half' })
    expect(log(stage).at(-1)).toBe('reply: half')
    expect(stage.runner.isBusy).toBe(false)
    expect(stage.session.view().activity).toBeNull()
  })

  it('ends a running call, whose result still stands beside it', async () => {
    const run: NonNullable<StageOptions['run']> = (_call, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () =>
          resolve({ isOk: false, text: 'stopped by the user', view: { kind: 'text' } }),
        ),
      )
    const stage = setStage({ run })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] })
    stage.say('go')
    await new Promise((resolve) => setTimeout(resolve, 5))
    stage.runner.stop()
    await stage.idle()
    expect(log(stage).at(-1)).toBe('result: stopped by the user')
    expect(place(stage)).toBe('PLANNING REQUIRES_USER_INPUT')
  })
})

describe('consent', () => {
  const isGated: NonNullable<StageOptions['isGated']> = (call) => call.access !== 'read'
  const change: Play = { calls: [{ name: 'run', args: 'ls' }] }

  async function atGate(): Promise<{ stage: Stage; gateId: string }> {
    const stage = setStage({ isGated: (call, mode) => call.access === 'read' || isGated(call, mode) })
    stage.play(plan, { calls: [{ name: 'read', args: '.env' }] })
    stage.say('go')
    await stage.idle()
    return { stage, gateId: stage.session.state.gates[0]?.gateId ?? '' }
  }

  it('is asked in the conversation, and nothing runs before', async () => {
    const { stage, gateId } = await atGate()
    expect(kinds(stage).slice(-2)).toEqual(['call asked', 'gate open'])
    expect(stage.ran).toEqual([])
    stage.play(done, {}, { say: ['ok'] })
    await stage.runner.answerGate(answer(gateId, 'approve'))
    await stage.idle()
    expect(stage.ran).toEqual(['.env'])
    expect(kinds(stage)).toContain('gate approved')
  })

  it('refused is the call’s result, with the reason', async () => {
    const { stage, gateId } = await atGate()
    stage.play(done, {}, { say: ['ok'] })
    await stage.runner.answerGate(answer(gateId, 'refuse', 'not that one'))
    await stage.idle()
    expect(stage.ran).toEqual([])
    expect(log(stage)).toContain('result: rejected: not that one')
    expect(kinds(stage)).toContain('gate rejected')
  })

  it('a step that only reads refuses a change without asking anybody', async () => {
    const stage = setStage({ isGated })
    stage.play(plan, change, done, {}, { say: ['ok'] })
    stage.say('go')
    await stage.idle()
    expect(log(stage)).toContain('result: read-only-step')
    expect(stage.ran).toEqual([])
  })

  it('an answer to a gate that is no more says so', async () => {
    const { stage } = await atGate()
    await expect(stage.runner.answerGate(answer('other', 'approve'))).rejects.toThrow('gate/not-open')
  })

  it('a message while a gate is open is answered beside it; the gate stays', async () => {
    const { stage, gateId } = await atGate()
    stage.play({ say: ['It holds a key.'] })
    stage.runner.beside([{ kind: 'text', text: 'what is in there?' }])
    await stage.idle()
    expect(stage.session.state.gates.map((gate) => gate.gateId)).toEqual([gateId])
    expect(items(stage).at(-1)).toMatchObject({ kind: 'answer', purpose: 'beside', text: 'It holds a key.' })
  })

  it('a question beside that fails is told; what it stands beside stays as it is', async () => {
    const { stage, gateId } = await atGate()
    stage.play({ error: new AppError({ code: 'model/unreachable', address: 'http://x' }) })
    stage.runner.beside([{ kind: 'text', text: 'what is in there?' }])
    await stage.idle()
    expect(items(stage).at(-1)).toMatchObject({ kind: 'error', error: { code: 'model/unreachable' } })
    expect(stage.session.state.gates.map((gate) => gate.gateId)).toEqual([gateId])
    expect(stage.asked).toHaveLength(3)
  })
})

describe('what goes wrong', () => {
  it('is tried again twice, told once, and then the user is asked', async () => {
    const stage = setStage()
    const error = new AppError({ code: 'model/unreachable', address: 'http://x' })
    stage.play({ error }, { error }, { error })
    stage.say('go')
    await stage.idle()
    expect(stage.asked).toHaveLength(3)
    expect(kinds(stage).filter((kind) => kind === 'error')).toHaveLength(1)
    expect(items(stage).find((item) => item.kind === 'error')).toMatchObject({
      error: { code: 'model/unreachable' },
    })
    expect(place(stage)).toBe('PLANNING REQUIRES_USER_INPUT')
  })

  it('a tool that throws is a result, and a bug in the log', async () => {
    const stage = setStage({ run: () => Promise.reject(new Error('broken')) })
    stage.play(plan, { calls: [{ name: 'read', args: 'a' }] }, done, {}, { say: ['ok'] })
    stage.say('go')
    await stage.idle()
    expect(kinds(stage)).toContain('call failed')
    expect(stage.logged).toHaveLength(1)
    expect(place(stage)).toBe('PLANNING REQUIRES_USER_INPUT')
  })

  it('a call that no tool takes says why; three running end the work', async () => {
    const stage = setStage()
    const nonsense: Play = { calls: [{ name: 'fly', args: '{}' }] }
    stage.play(plan, nonsense, nonsense, { calls: [{ name: 'soar', args: '{}' }] }, {}, { say: ['sorry'] })
    stage.say('go')
    await stage.idle()
    expect(log(stage)).toContain('result: no tool fly')
    expect(items(stage).find((item) => item.kind === 'error')).toMatchObject({ failure: 'invalid-calls' })
    expect(log(stage)).toContain('note: failed: invalid-calls')
  })

  it('the same call three times asks the user', async () => {
    const stage = setStage()
    const again: Play = { calls: [{ name: 'read', args: 'a' }] }
    stage.play(plan, again, again, again)
    stage.say('go')
    await stage.idle()
    expect(stage.ran).toEqual(['a', 'a'])
    const question = items(stage).find((item) => item.kind === 'question')
    expect(question).toMatchObject({ question: 'again read a?', isOpen: true })
    stage.play(done, {}, { say: ['ok'] })
    if (question?.kind === 'question')
      stage.runner.answerQuestion(question.callId, [{ kind: 'text', text: 'stop that' }])
    await stage.idle()
    expect(log(stage)).toContain('result: answered: stop that')
    expect(items(stage).find((item) => item.kind === 'question')).toMatchObject({
      answer: 'stop that',
      isOpen: false,
    })
  })
})

describe('a compaction', () => {
  it('comes before a request that would not fit, and the whole history stays in the store', async () => {
    const stage = setStage({ compactsTo: 20 })
    stage.play({}, { say: ['one'] })
    stage.say('first')
    await stage.idle()
    expect(log(stage).slice(-3)).toEqual(['summary: short', 'message: first', 'reply: one'])
    expect(items(stage).filter((item) => item.kind === 'compaction')).toHaveLength(2)
    expect(items(stage).some((item) => item.kind === 'user')).toBe(true)
  })

  it('that makes nothing shorter leaves the prompt as it is, and is not tried again in that turn', async () => {
    const stage = setStage({ compactsTo: 110 })
    stage.play({}, { say: ['one'] }, {}, { say: ['two'] })
    stage.say('first')
    await stage.idle()
    expect(log(stage)).toContain('message: first')
    expect(kinds(stage).filter((kind) => kind.startsWith('compaction'))).toEqual(['compaction failed'])
    stage.say('second')
    await stage.idle()
    expect(stage.asked.filter(({ kind }) => kind === 'compact')).toHaveLength(2)
  })

  it('is made when the user wants it', async () => {
    const stage = setStage()
    stage.play({}, { say: ['one'] })
    stage.say('first')
    await stage.idle()
    await stage.runner.compact()
    expect(log(stage)).toEqual(['summary: short', 'message: first'])
    expect(items(stage).at(-1)).toMatchObject({ kind: 'compaction', state: 'finished', summary: 'short' })
  })
})

describe('a host that ended in the middle', () => {
  it('leaves what was written, says that a call may have been carried out, and asks before it goes on', async () => {
    const stage = setStage({ run: () => new Promise(() => undefined) })
    stage.play(plan, { say: ['I look.'], calls: [{ name: 'read', args: 'a' }] })
    stage.say('go')
    await new Promise((resolve) => setTimeout(resolve, 10))
    stage.session.flush()
    const next = stage.reopen()
    await next.runner.resume(async () => [])
    await next.idle()
    expect(next.ran).toEqual([])
    expect(kinds(next)).toEqual(['user', 'decision', 'answer finished', 'call refused', 'notice'])
    expect(log(next).at(-1)).toBe('result: interrupted')
    expect(place(next)).toBe('PLANNING REQUIRES_USER_INPUT')
    next.play({}, { say: ['Again from here.'] })
    next.say('go on')
    await next.idle()
    expect(items(next).at(-1)).toMatchObject({ text: 'Again from here.' })
  })

  it('asks an open gate again', async () => {
    const stage = setStage({ isGated: () => true })
    stage.play(plan, { calls: [{ name: 'read', args: '.env' }] })
    stage.say('go')
    await stage.idle()
    const next = stage.reopen()
    const reopened: string[] = []
    await next.runner.resume(async (calls) => {
      reopened.push(...calls.map((call) => call.title))
      next.restoreGates(calls)
      return []
    })
    await next.idle()
    expect(reopened).toEqual(['.env'])
    expect(next.session.state.gates).toHaveLength(1)
    expect(kinds(next).filter((kind) => kind.startsWith('gate'))).toEqual(['gate open'])
  })

  it('brings a message to the model that was taken and not sent', async () => {
    const stage = setStage()
    stage.session.startTurn([{ kind: 'text', text: 'lost?' }])
    stage.session.add({ kind: 'user', how: 'send', segments: [{ kind: 'text', text: 'lost?' }] })
    const next = stage.reopen()
    next.play({}, { say: ['no'] })
    next.say('still there?')
    await next.idle()
    expect(log(next)).toContain('message: lost?')
  })

  it('brings what went with it, too, as it was', async () => {
    const stage = setStage()
    const text = '[File: a.md]\none'
    stage.session.startTurn([{ kind: 'text', text: 'see @a.md and @no.md' }])
    stage.session.add({
      kind: 'user',
      how: 'send',
      segments: [{ kind: 'text', text: 'see @a.md and @no.md' }],
      modelText: 'see @a.md and [unresolved file ref: no.md]',
    })
    const file = { kind: 'file', range: null, what: 'file', sizeBytes: 3, isCut: false } as const
    const more = { isUnsaved: false, encodings: [], trouble: null }
    stage.session.add({ ...file, ...more, path: 'a.md', state: 'ok', text })
    stage.session.add({ ...file, ...more, path: 'no.md', state: 'not-found', text: '' })
    const next = stage.reopen()
    next.play({}, { say: ['no'] })
    next.say('still there?')
    await next.idle()
    const told = next.session.log.filter(({ turn }) => turn === 1).map((entry) => [entry.kind, entry.text])
    expect(told).toEqual([
      ['message', 'see @a.md and [unresolved file ref: no.md]'],
      ['file', text],
    ])
  })
})

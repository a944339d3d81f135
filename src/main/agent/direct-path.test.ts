import { describe, expect, it } from 'vitest'
import {
  noDelta,
  placeOf,
  plan,
  playSession,
  proposal,
  review,
  stateAt,
  world,
} from '../../../tests/fakes/agent/agent-session.ts'
import type { StateDelta } from '../../shared/domain/session/agent-decision.ts'
import type { AgentEvent, ProposedCall } from './agent-events.ts'

type Session = ReturnType<typeof playSession>

function answer(session: Session, text: string, ...calls: ProposedCall[]): void {
  session.send({ type: 'model.answered', requestId: session.requestId(), text, calls })
}

function grant(session: Session, ...callIds: string[]): void {
  const records = callIds.map((callId) => ({
    callId,
    hash: `hash of ${callId}`,
    by: 'mode' as const,
    name: 'full',
  }))
  session.send({ type: 'consent.granted', records })
}

function ran(session: Session, callId: string, changed: string[] = []): void {
  session.send({ type: 'call.finished', callId, isOk: true, changed })
}

function asked(message: string): Session {
  const session = playSession()
  session.send({ type: 'user.message', text: message })
  return session
}

function openGate(session: Session, callId: string, gateId = 'g'): void {
  const items = [{ callId, hash: `hash of ${callId}` }]
  session.send({ type: 'gate.opened', gate: { gateId, kind: 'calls', items } })
}

describe('an answer that carries its own decision', () => {
  it('is the reply where it is text alone, and no decision is counted', () => {
    const session = asked('hello')
    answer(session, 'Hello.')
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.effects).toEqual([{ type: 'turn.ended', how: 'replied' }])
    expect(session.state.counters).toMatchObject({ decisions: 0, requests: 1 })
  })

  it('reads, changes and replies without a plan; the host derives one, and no gate asks about it', () => {
    const session = asked('mend the rule')
    answer(session, '', world('r', 'read'))
    grant(session, 'r')
    ran(session, 'r')
    expect(session.effectsOf('model.work')).toHaveLength(1)
    answer(session, 'I mend it.', { ...world('w', 'write'), title: 'date.mjs' } as ProposedCall)
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
    expect(session.state.plan).toMatchObject({ title: 'date.mjs', isDerived: true })
    expect(session.effectsOf('gate.request')).toEqual([])
    expect(session.effectsOf('consent.ask')).toEqual([{ type: 'consent.ask', callIds: ['w'] }])
    grant(session, 'w')
    ran(session, 'w', ['date.mjs'])
    answer(session, 'Done.')
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.state.plan).toBeNull()
    expect(session.effectsOf('turn.ended')).toEqual([{ type: 'turn.ended', how: 'done' }])
  })

  it('runs up to eight reads at once, and what follows them only when all have ended', () => {
    const session = asked('look around')
    const reads = Array.from({ length: 9 }, (_, at) => `r${at}`)
    answer(session, '', ...reads.map((callId) => world(callId, 'read')), world('w', 'write'))
    grant(session, ...reads, 'w')
    const begun = (): string[] => session.effectsOf('call.run').map(({ callId }) => callId)
    expect(begun()).toEqual(reads.slice(0, 8))
    ran(session, 'r3')
    expect(begun()).toEqual(['r8'])
    for (const callId of reads.filter((each) => each !== 'r3')) {
      expect(session.effectsOf('model.work')).toEqual([])
      ran(session, callId)
    }
    expect(begun()).toEqual(['w'])
  })

  it('runs commands that only read beside the reads around them, and any other command alone', () => {
    const session = asked('look around')
    answer(
      session,
      '',
      world('r', 'read'),
      world('log', 'execute', true),
      world('s', 'read'),
      world('test', 'execute'),
      world('t', 'read'),
    )
    grant(session, 'r', 'log', 's', 'test', 't')
    const begun = (): string[] => session.effectsOf('call.run').map(({ callId }) => callId)
    expect(begun()).toEqual(['r', 'log', 's'])
    for (const callId of ['s', 'r']) {
      ran(session, callId)
      expect(begun()).toEqual([])
    }
    ran(session, 'log')
    expect(begun()).toEqual(['test'])
    ran(session, 'test')
    expect(begun()).toEqual(['t'])
  })

  it('is reviewed after every change where the user wants that, and once', () => {
    const session = asked('mend it')
    const reply = (text: string): void =>
      session.send({
        type: 'model.answered',
        requestId: session.requestId(),
        text,
        calls: [],
        isReviewed: true,
      })
    answer(session, '', world('w', 'write'))
    grant(session, 'w')
    ran(session, 'w', ['a.txt'])
    reply('Done.')
    expect(placeOf(session.state)).toBe('REVIEW/P work')
    answer(session, '', { kind: 'review', callId: 'v', report: review('approve') })
    reply('Done and reviewed.')
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    const talk = asked('hello')
    talk.send({
      type: 'model.answered',
      requestId: talk.requestId(),
      text: 'Hi',
      calls: [],
      isReviewed: true,
    })
    expect(placeOf(talk.state)).toBe('PLANNING/S none')
  })

  it('is not carried out in mode plan, whatever it calls', () => {
    const session = playSession()
    session.send({ type: 'user.mode', mode: 'plan' }, { type: 'user.message', text: 'mend it' })
    answer(session, '', world('w', 'write'), world('x', 'execute'))
    expect(session.effectsOf('call.result').map(({ outcome }) => outcome)).toEqual(['plan-mode', 'plan-mode'])
    expect(session.effectsOf('call.run')).toEqual([])
    expect(placeOf(session.state)).toBe('PLANNING/P work')
  })

  it('goes on in the same turn with the reason of a refusal', () => {
    const session = asked('mend it')
    answer(session, '', world('w', 'write'))
    openGate(session, 'w')
    expect(placeOf(session.state)).toBe('AWAITING_APPROVAL/U gate')
    session.send({ type: 'gate.rejected', gateId: 'g', reason: 'keep the old name' })
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
    expect(session.effectsOf('call.result')).toMatchObject([
      { callId: 'w', outcome: 'rejected', reason: 'keep the old name' },
    ])
    expect(session.effectsOf('model.work')).toHaveLength(1)
    expect(session.state.counters.recoveries).toBe(0)
  })

  it('ends the turn where the refusal has no reason', () => {
    const session = asked('mend it')
    answer(session, '', world('w', 'write'))
    openGate(session, 'w')
    session.send({ type: 'gate.rejected', gateId: 'g', reason: null })
    expect(placeOf(session.state)).toBe('PLANNING/U none')
    expect(session.effectsOf('model.work')).toEqual([])
  })

  it('offers to carry out a plan of mode plan that was put off without a reason', () => {
    const session = playSession(stateAt('PLANNING/S none', { mode: 'plan' }))
    session.send({ type: 'user.message', text: 'plan it' })
    answer(session, '', { kind: 'plan', callId: 'p', hash: 'ph', proposal })
    const items = [{ callId: 'p', hash: 'ph' }]
    session.send({ type: 'gate.opened', gate: { gateId: 'pg', kind: 'plan', items } })
    session.send({ type: 'gate.rejected', gateId: 'pg', reason: null })
    expect(placeOf(session.state)).toBe('PLANNING/U none')
    expect(session.effects).toContainEqual({ type: 'notice', notice: { kind: 'leave-plan-mode' } })
    session.send({ type: 'user.carry-out' })
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
    answer(session, '', world('w', 'write'))
    expect(session.state.plan).toMatchObject({ callId: 'p' })
    expect(session.effectsOf('consent.ask')).toEqual([{ type: 'consent.ask', callIds: ['w'] }])
  })

  it('asks about a risky plan before the calls beside it, which run once it is approved', () => {
    const session = asked('delete the old drafts')
    const risky = { kind: 'plan', callId: 'p', hash: 'ph', proposal: { ...proposal, risk: 'high' } } as const
    answer(session, '', risky, world('w', 'write'))
    expect(session.effectsOf('consent.ask')).toEqual([])
    const items = [{ callId: 'p', hash: 'ph' }]
    session.send({ type: 'gate.opened', gate: { gateId: 'pg', kind: 'plan', items } })
    session.send({
      type: 'gate.approved',
      gateId: 'pg',
      answers: [{ callId: 'p', shownHash: 'ph', hash: 'ph', isPartial: false }],
    })
    expect(placeOf(session.state)).toBe('EXECUTION/P work')
    expect(session.effectsOf('consent.ask')).toEqual([{ type: 'consent.ask', callIds: ['w'] }])
    expect(session.effectsOf('call.run')).toEqual([])
  })

  it('runs nothing of an answer whose risky plan is refused', () => {
    const session = asked('delete the old drafts')
    const risky = { kind: 'plan', callId: 'p', hash: 'ph', proposal: { ...proposal, risk: 'high' } } as const
    answer(session, '', risky, world('w', 'write'))
    session.send({
      type: 'gate.opened',
      gate: { gateId: 'pg', kind: 'plan', items: [{ callId: 'p', hash: 'ph' }] },
    })
    session.send({ type: 'gate.rejected', gateId: 'pg', reason: 'only the first' })
    expect(session.effectsOf('call.result')).toMatchObject([{ callId: 'w', outcome: 'not-run' }])
    expect(session.state.plan).toBeNull()
    expect(session.effectsOf('model.work')).toHaveLength(1)
  })

  it('is followed by a review where the plan was risky, and the closing text is the one reply', () => {
    const session = asked('change the settings')
    answer(session, '', { kind: 'plan', callId: 'p', hash: 'ph', proposal: { ...proposal, risk: 'medium' } })
    answer(session, '', world('w', 'write'))
    grant(session, 'w')
    ran(session, 'w', ['a'])
    answer(session, 'All is changed.')
    expect(placeOf(session.state)).toBe('REVIEW/P work')
    expect(session.state.turn.reviewing).toBe('due')
    answer(session, '', { kind: 'review', callId: 'v', report: review('approve') })
    expect(session.state.turn.reviewing).toBe('passed')
    answer(session, 'All is changed and checked.')
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.effectsOf('turn.ended')).toHaveLength(1)
  })

  it('ends with the text that stands beside an approved review, without another request', () => {
    const begun = (): ReturnType<typeof asked> => {
      const session = asked('change the settings')
      answer(session, '', {
        kind: 'plan',
        callId: 'p',
        hash: 'ph',
        proposal: { ...proposal, risk: 'medium' },
      })
      answer(session, '', world('w', 'write'))
      grant(session, 'w')
      ran(session, 'w', ['a'])
      answer(session, 'All is changed.')
      return session
    }
    const session = begun()
    answer(session, 'All is changed and checked.', { kind: 'review', callId: 'v', report: review('approve') })
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.effectsOf('model.work')).toEqual([])
    expect(session.effectsOf('turn.ended')).toHaveLength(1)
    const revised = begun()
    answer(revised, 'One place is wrong.', { kind: 'review', callId: 'v', report: review('revise') })
    expect(revised.state.status).toBe('IN_PROGRESS')
    expect(revised.state.turn.reviewing).toBe('none')
  })

  it('is reviewed where more than five files were changed', () => {
    const session = asked('rename it everywhere')
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      answer(session, '', world(id, 'write'))
      grant(session, id)
      ran(session, id, [`${id}.txt`])
    }
    answer(session, 'Renamed.')
    expect(session.state.turn.reviewing).toBe('due')
  })

  it('may be asked fifty times in a turn', () => {
    const session = asked('look around')
    for (let request = 1; request <= 50; request++) {
      expect(session.state.status).toBe('IN_PROGRESS')
      answer(session, '', { kind: 'todo', callId: `t${request}`, todos: [{ text: 'go on', isDone: false }] })
    }
    expect(session.state.status).toBe('REQUIRES_USER_INPUT')
    expect(session.effectsOf('turn.ended')).toEqual([{ type: 'turn.ended', how: 'limit' }])
  })

  it('is asked for once more where it is empty, then the user is', () => {
    const session = asked('hello')
    answer(session, '')
    expect(session.effectsOf('model.work')).toHaveLength(1)
    answer(session, '')
    expect(placeOf(session.state)).toBe('PLANNING/U none')
  })

  it('fails at the third answer running of which no call can be used, however many calls each has', () => {
    const session = asked('look')
    const useless = (...callIds: string[]): void =>
      answer(session, '', ...callIds.map((callId): ProposedCall => ({ kind: 'invalid', callId })))
    useless('a', 'b', 'c')
    useless('d')
    answer(session, '', { kind: 'invalid', callId: 'e' }, world('r', 'read'))
    grant(session, 'r')
    ran(session, 'r')
    useless('f')
    useless('g')
    expect(session.effectsOf('model.work')).toHaveLength(1)
    expect(session.state.counters.invalidAnswers).toBe(2)
    useless('h')
    expect(session.effectsOf('model.work')).toEqual([])
    expect(placeOf(session.state)).toBe('PLANNING/E none')
    const due = { type: 'recovery.due', failure: 'invalid-calls', isAutomatic: true }
    expect(session.effectsOf('recovery.due')).toEqual([due])
  })

  it('keeps a plan that stands where nothing was changed in this turn', () => {
    const session = playSession({
      ...playSession().state,
      step: 'EXECUTION',
      status: 'REQUIRES_USER_INPUT',
      plan,
    })
    session.send({ type: 'user.message', text: 'what is left?' })
    answer(session, 'The second file.')
    expect(placeOf(session.state)).toBe('EXECUTION/U none')
    expect(session.state.plan).not.toBeNull()
  })

  it('says nothing where no request is open', () => {
    const session = asked('hello')
    const late: AgentEvent = {
      type: 'model.answered',
      requestId: 99,
      text: 'late',
      calls: [world('w', 'write')],
    }
    session.send(late)
    expect(session.effects).toEqual([
      { type: 'notice', notice: { kind: 'ignored', event: 'model.answered' } },
    ])
  })
})

describe('what the model changes of the course', () => {
  const course = (callId: string, delta: Partial<StateDelta>): ProposedCall => ({
    kind: 'course',
    callId,
    delta: { ...noDelta, ...delta },
  })
  const results = (session: Session) => session.effectsOf('call.result').map(({ outcome }) => outcome)

  it('stands beside other calls, and the turn goes on', () => {
    const session = asked('mend the rule')
    answer(session, '', course('c', { why_now: 'it is wrong' }), world('r', 'read'))
    expect(results(session)).toEqual(['accepted'])
    expect(session.effectsOf('consent.ask')).toEqual([{ type: 'consent.ask', callIds: ['r'] }])
    expect(session.state.course).toMatchObject({ goal: 'mend the rule', whyNow: 'it is wrong' })
    expect(placeOf(session.state)).toBe('PLANNING/P work')
  })

  it('asks for the next request where it stands alone', () => {
    const session = asked('mend the rule')
    answer(session, '', course('c', { open_questions: ['which year?'] }))
    expect(session.effectsOf('model.work')).toHaveLength(1)
    expect(session.state.course.openQuestions).toEqual(['which year?'])
  })

  it('is put aside with a text of its own: step and plan stay, and the user may answer it', () => {
    const session = asked('mend the rule')
    answer(session, '', { ...world('w', 'write'), title: 'date.mjs' } as ProposedCall)
    grant(session, 'w')
    ran(session, 'w', ['date.mjs'])
    answer(session, 'I leave 1582 open.', course('c', { open_questions: ['what of 1582?'] }))
    expect(placeOf(session.state)).toBe('EXECUTION/U none')
    expect(session.state.plan?.title).toBe('date.mjs')
    expect(session.effects).toContainEqual({
      type: 'notice',
      notice: { kind: 'question-deferred', question: 'what of 1582?' },
    })
    expect(session.effectsOf('model.work')).toEqual([])
    expect(session.effectsOf('turn.ended')).toEqual([{ type: 'turn.ended', how: 'replied' }])
    session.send({ type: 'user.message', text: 'About “what of 1582?”: leave it.' })
    expect(session.state.course.openQuestions).toEqual([])
  })

  it('goes on after a question that is put aside where the user has said something meanwhile', () => {
    const session = asked('mend the rule')
    const calls = [course('c', { open_questions: ['what of 1582?'] })]
    const requestId = session.requestId()
    session.send({ type: 'model.answered', requestId, text: 'Later.', calls, isSteered: true })
    expect(session.effectsOf('model.work')).toHaveLength(1)
  })

  it('only proposes what the user has written', () => {
    const session = playSession()
    session.send({ type: 'user.course', edit: { kind: 'write', item: 'goal', value: 'name the cat' } })
    session.send({ type: 'user.message', text: 'go on' })
    answer(session, '', course('c', { goal: 'name the dog' }))
    expect(session.state.course.goal).toBe('name the cat')
    const notice = { kind: 'course-proposed', item: 'goal', value: 'name the dog' }
    expect(session.effectsOf('notice')).toEqual([{ type: 'notice', notice }])
  })

  it('clears an old plan with another goal in the first answer, and no plan of this turn', () => {
    const session = playSession(stateAt('PLANNING/S none', { plan }))
    session.send({ type: 'user.message', text: 'something else' })
    answer(session, '', course('c', { goal: 'write a letter' }))
    expect(session.state.plan).toBeNull()
    answer(session, '', { kind: 'plan', callId: 'p', hash: 'h', proposal })
    answer(session, '', course('d', { goal: 'write two letters' }))
    expect(session.state.plan).toMatchObject({ callId: 'p' })
    expect(session.state.contextRefs).toEqual([`plan:${proposal.title}`])
    expect(session.state.course.goal).toBe('write two letters')
  })

  it.each(['before', 'behind'])(
    'keeps an accepted plan whatever words the goal is put in when the work goes on: %s a change',
    (place) => {
      const session = asked('fix the typo')
      const first = course('c', { goal: 'Fix the typo in README.md', open_questions: ['which one?'] })
      answer(session, '', first, {
        kind: 'plan',
        callId: 'p',
        hash: 'h',
        proposal: { ...proposal, risk: 'high' },
      })
      const gate = { gateId: 'g', kind: 'plan' as const, items: [{ callId: 'p', hash: 'h' }] }
      session.send({ type: 'gate.opened', gate })
      const answers = [{ callId: 'p', shownHash: 'h', hash: 'h', isPartial: false }]
      session.send({ type: 'gate.approved', gateId: 'g', answers })
      expect(placeOf(session.state)).toBe('EXECUTION/P work')
      session.send({ type: 'user.stop' }, { type: 'user.message', text: 'go on' })
      const reworded = course('d', { goal: 'Fix the README typo' })
      const calls = place === 'before' ? [reworded, world('w', 'write')] : [world('w', 'write'), reworded]
      answer(session, '', ...calls)
      expect(session.state.plan).toMatchObject({ callId: 'p' })
      expect(session.state.course).toMatchObject({
        goal: 'Fix the README typo',
        openQuestions: ['which one?'],
      })
    },
  )

  it('begins another task in the middle of one with a new plan beside it', () => {
    const session = playSession(stateAt('EXECUTION/P work', { plan }))
    session.send({ type: 'user.stop' }, { type: 'user.message', text: 'something else' })
    answer(session, '', course('c', { goal: 'write a letter' }), {
      kind: 'plan',
      callId: 'p2',
      hash: 'h',
      proposal,
    })
    expect(session.state.plan).toMatchObject({ callId: 'p2' })
    expect(session.state.course.goal).toBe('write a letter')
  })

  it('refers to the last twenty plans, each once', () => {
    const session = playSession()
    session.send({ type: 'user.message', text: 'plan' })
    for (let at = 0; at < 25; at++)
      answer(session, '', {
        kind: 'plan',
        callId: `p${at}`,
        hash: 'h',
        proposal: { ...proposal, title: `${at}` },
      })
    answer(session, '', { kind: 'plan', callId: 'again', hash: 'h', proposal: { ...proposal, title: '9' } })
    const titles = [...Array.from({ length: 20 }, (_, at) => at + 5).filter((at) => at !== 9), 9]
    expect(session.state.contextRefs).toEqual(titles.map((at) => `plan:${at}`))
  })

  it('is a decision of its own off the direct path', () => {
    const session = playSession(stateAt('EXECUTION/P work'))
    session.send({ type: 'model.called', requestId: 1, calls: [course('c', { goal: 'other' })] })
    expect(results(session)).toEqual(['wrong-step'])
    expect(session.state.course.goal).toBe('')
  })
})

describe('the checks of the folder after a change', () => {
  const due = [world('check', 'execute')]

  function changed(): Session {
    const session = asked('mend it')
    answer(session, '', world('w', 'write'))
    grant(session, 'w')
    ran(session, 'w', ['a.txt'])
    return session
  }

  function end(session: Session, checks: ProposedCall[] = due, isSteered = false): void {
    session.send({
      type: 'model.answered',
      requestId: session.requestId(),
      text: 'Mended.',
      calls: [],
      isSteered,
      checks,
    })
  }

  function found(session: Session, hasProblems: boolean): void {
    grant(session, 'check')
    session.send({ type: 'call.finished', callId: 'check', isOk: !hasProblems, hasProblems })
  }

  it('are asked about like any command, and nothing more is asked of the model where they find nothing', () => {
    const session = changed()
    end(session)
    expect(placeOf(session.state)).toBe('REVIEW/P work')
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['check'] }])
    grant(session, 'check')
    expect(session.effectsOf('call.run')).toHaveLength(1)
    session.send({ type: 'call.finished', callId: 'check', isOk: true })
    expect(placeOf(session.state)).toBe('PLANNING/S none')
    expect(session.effects).toEqual([{ type: 'turn.ended', how: 'done' }])
  })

  it('give new problems to the model, for two rounds of mending and no more', () => {
    const session = changed()
    for (const round of [1, 2]) {
      end(session)
      found(session, true)
      expect(session.effectsOf('model.work')).toHaveLength(1)
      expect(session.state.counters.checkRuns).toBe(round)
    }
    end(session)
    found(session, true)
    expect(session.effects).toEqual([
      { type: 'notice', notice: { kind: 'limit', limit: 'check-runs' } },
      { type: 'turn.ended', how: 'done' },
    ])
  })

  it('are not run a fourth time, and end with the turn that they belong to', () => {
    const session = playSession({
      ...stateAt('EXECUTION/P work', { plan, turn: { ...changed().state.turn, openRequestId: 1 } }),
      counters: { ...changed().state.counters, checkRuns: 3 },
    })
    end(session)
    expect(session.effects).toMatchObject([
      { type: 'call.result', callId: 'check', outcome: 'not-run' },
      { type: 'turn.ended', how: 'done' },
    ])
    const stopped = changed()
    end(stopped)
    stopped.send({ type: 'user.stop' })
    expect(stopped.state.turn.checking).toBe('none')
    expect(stopped.effectsOf('call.result')).toMatchObject([{ callId: 'check', outcome: 'stopped' }])
  })

  it('let the turn end where the user refuses to run them, and go on where the user says more meanwhile', () => {
    const refused = changed()
    end(refused)
    openGate(refused, 'check')
    expect(placeOf(refused.state)).toBe('REVIEW/U gate')
    refused.send({ type: 'gate.rejected', gateId: 'g', reason: null })
    expect(placeOf(refused.state)).toBe('PLANNING/S none')
    const steered = changed()
    end(steered)
    steered.send({ type: 'user.steer', text: 'and the other file' })
    found(steered, false)
    expect(steered.effectsOf('model.work')).toHaveLength(1)
  })

  it('run, as the review does, where a request has failed after the change and was made again', () => {
    const retried = (): Session => {
      const session = changed()
      session.send({ type: 'error', failure: 'model-failed' })
      session.send({ type: 'recover' })
      expect(placeOf(session.state)).toBe('PLANNING/P decision')
      return session
    }
    const checked = retried()
    end(checked)
    expect(checked.effects).toEqual([{ type: 'consent.ask', callIds: ['check'] }])
    found(checked, false)
    expect(placeOf(checked.state)).toBe('PLANNING/S none')
    expect(checked.state.plan).toBeNull()
    const reviewed = retried()
    const requestId = reviewed.requestId()
    reviewed.send({ type: 'model.answered', requestId, text: 'Mended.', calls: [], isReviewed: true })
    expect(placeOf(reviewed.state)).toBe('REVIEW/P work')
    expect(reviewed.state.turn.reviewing).toBe('due')
  })

  it('go on with what the user has said while they were read', () => {
    const session = changed()
    end(session, due, true)
    expect(session.effects).toEqual([{ type: 'consent.ask', callIds: ['check'] }])
    found(session, false)
    expect(session.effectsOf('model.work')).toHaveLength(1)
    expect(session.state.turn.checking).toBe('none')
  })
})

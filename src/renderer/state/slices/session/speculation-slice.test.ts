import { describe, expect, it } from 'vitest'
import {
  mockSessionId,
  openSession,
  until,
  type WindowOptions,
} from '../../../../../tests/fakes/window-host/open-window.ts'
import { fixtureGate } from '../../../../../tests/fakes/window-host/session-fixtures.ts'
import {
  loggedSpeculationOf,
  speculationOf,
  speculationStateOf,
} from '../../../../../tests/fakes/window-host/speculation-fixtures.ts'
import type { GateAnswerInput } from '../../../../shared/domain/session/gate.ts'
import { noSpeculation } from '../../../../shared/domain/session/speculation.ts'
import { createBrowserMemory } from '../../window-memory.ts'
import { speculationGate, speculationLink } from './speculation-slice.ts'

const link = speculationOf('続けて')
/** It as the host tells of it once its acceptance has begun. */
const tried = { ...link, attempts: 1 }
const { speculationId } = link
const gate = fixtureGate({ kind: 'apply' })

/** A window whose session has a speculation. */
async function openSpeculation(options: WindowOptions = {}) {
  const opened = await openSession(options)
  const { host, store } = opened
  const slice = () => store.getState().speculation
  host.speculations.become(speculationStateOf(link))
  await until(() => speculationLink(store.getState()) !== null)
  return { ...opened, slice }
}

describe('speculations in a window', () => {
  it('is that of the session in view, and ends with it', async () => {
    const { host, store, slice, asked } = await openSpeculation()
    expect(asked('speculation.watch').at(-1)).toEqual({ sessionId: mockSessionId })
    store.getState().conversation.close()
    expect(slice().current).toEqual(noSpeculation)
    host.speculations.become(speculationStateOf(speculationOf('別の')))
    await Promise.resolve()
    expect(speculationLink(store.getState())).toBeNull()
  })

  it('comes again after a lost connection', async () => {
    const { host, store, connection, asked } = await openSpeculation()
    const { length } = asked('speculation.watch')
    connection.drop()
    await until(() => asked('speculation.watch').length === length + 1)
    host.speculations.become(speculationStateOf(speculationOf('別の')))
    await until(() => speculationLink(store.getState())?.text === '別の')
  })

  it('is being accepted at once, and the host hears of it', async () => {
    const { host, store, slice } = await openSpeculation()
    const accepted = slice().accept(speculationId)
    expect(speculationLink(store.getState())).toMatchObject({
      phase: 'accepting',
      accepting: { step: 'finishing' },
    })
    expect(await accepted).toBe(true)
    expect(host.speculations.said).toEqual([{ kind: 'accept', speculationId }])
  })

  it('settles the suggestion that it is accepted by, in the same call', async () => {
    const { host, slice, asked } = await openSpeculation()
    const suggestion = {
      suggestionId: 'shown',
      outcome: 'accepted',
      method: 'enter',
      timeMs: 7,
      firstKeystrokeMs: 3,
      wasFocused: true,
    } as const
    expect(await slice().accept(speculationId, suggestion)).toBe(true)
    expect(host.speculations.said).toEqual([{ kind: 'accept', speculationId, suggestion }])
    expect(asked('suggestion.outcome')).toEqual([])
  })

  it('stands as before where another window was quicker', async () => {
    const { host, store, slice } = await openSpeculation()
    host.speculations.isTooLate = true
    expect([await slice().accept(speculationId), await slice().reject(speculationId)]).toEqual([false, false])
    expect(speculationLink(store.getState())).toEqual(link)
  })

  it('leaves the box where its text stood there, for the answer to what is asked; another text stays', async () => {
    const { host, store, slice } = await openSpeculation()
    const write = (text: string) => store.getState().composer.putBack([{ kind: 'text', text }])
    const inBox = () => Object.values(store.getState().unsent.byKey).flat()
    write(link.text)
    const accepted = slice().accept(speculationId)
    // Before the host has answered: an answer may be typed as soon as its question is there.
    expect(inBox()).toEqual([])
    expect(await accepted).toBe(true)
    const accepting = { step: 'gate', gate } as const
    host.speculations.become(speculationStateOf({ ...tried, phase: 'accepting', accepting }))
    await until(() => speculationGate(store.getState()) !== null)
    expect(inBox()).toEqual([])
    expect(store.getState().composer.wanted).toEqual({ segments: [] })
    host.speculations.become(speculationStateOf(tried))
    await until(() => speculationGate(store.getState()) === null)
    expect(inBox()).toEqual([{ kind: 'text', text: link.text }])
    store.getState().unsent.keep(Object.keys(store.getState().unsent.byKey)[0] ?? '', [])
    write('別の')
    expect(await slice().accept(speculationId)).toBe(true)
    expect(inBox()).toEqual([{ kind: 'text', text: '別の' }])
  })

  it('comes back into the box of its own session, although another one was chosen meanwhile', async () => {
    const { host, store, slice } = await openSpeculation()
    host.speculations.isTooLate = true
    store.getState().composer.putBack([{ kind: 'text', text: link.text }])
    const accepted = slice().accept(speculationId)
    store.getState().conversation.open('session-1')
    await accepted
    const { byKey } = store.getState().unsent
    expect(Object.keys(byKey).filter((key) => byKey[key]?.length)).toEqual([mockSessionId])
  })

  it('comes back into the box where nothing could be accepted, and not where another window was quicker', async () => {
    const { host, store, slice } = await openSpeculation()
    const inBox = () => Object.values(store.getState().unsent.byKey).flat()
    const text = [{ kind: 'text' as const, text: link.text }]
    host.speculations.isTooLate = true
    host.speculations.isAccepted = false
    store.getState().composer.putBack(text)
    expect(await slice().accept(speculationId)).toBe(false)
    expect(inBox()).toEqual(text)
    host.speculations.isAccepted = true
    expect(await slice().accept(speculationId)).toBe(true)
    expect(inBox()).toEqual([])
  })

  it('gives its text back to the box where its acceptance is put off', async () => {
    const { host, store, slice } = await openSpeculation()
    expect(await slice().accept(speculationId)).toBe(true)
    const accepting = { step: 'gate', gate } as const
    host.speculations.become(speculationStateOf({ ...tried, phase: 'accepting', accepting }))
    await until(() => speculationGate(store.getState()) !== null)
    const inBox = () => Object.values(store.getState().unsent.byKey).flat()
    expect(inBox()).toEqual([])
    host.speculations.become(speculationStateOf(tried))
    await until(() => speculationGate(store.getState()) === null)
    expect(inBox()).toEqual([{ kind: 'text', text: link.text }])
  })

  describe('whose acceptance asks at its gate', () => {
    /** A window at the gate, and what stands in the box of its session. */
    async function openGate(memory = createBrowserMemory(null)) {
      const opened = await openSpeculation({ memory })
      const { host, store, slice } = opened
      store.getState().composer.putBack([{ kind: 'text', text: link.text }])
      await slice().accept(speculationId)
      const accepting = { step: 'gate', gate } as const
      host.speculations.become(speculationStateOf({ ...tried, phase: 'accepting', accepting }))
      await until(() => speculationGate(store.getState()) !== null)
      const inBox = () => store.getState().unsent.byKey[mockSessionId] ?? []
      expect(inBox()).toEqual([])
      return { ...opened, inBox }
    }
    const text = [{ kind: 'text', text: link.text }]
    const ended = { speculationId, text: link.text, reason: 'lost', error: null }

    it('gives its text back where it is lost while another session is shown', async () => {
      const { host, store, inBox, conversation } = await openGate()
      conversation().open('session-1')
      host.speculations.become({ ...noSpeculation, ended })
      await until(() => store.getState().speculation.current.ended !== null)
      expect(inBox()).toEqual([])
      conversation().open(mockSessionId)
      await until(() => inBox().length > 0)
      expect(inBox()).toEqual(text)
    })

    it('gives its text back where it is denied after the page was loaded again', async () => {
      const memory = createBrowserMemory(null)
      const { host } = await openGate(memory)
      const next = await openSession({ host, memory })
      await until(() => speculationGate(next.store.getState()) !== null)
      host.speculations.become(speculationStateOf(tried))
      const inBox = () => next.store.getState().unsent.byKey[mockSessionId] ?? []
      await until(() => inBox().length > 0)
      expect(inBox()).toEqual(text)
    })

    it('gives its text back where its host was killed', async () => {
      const { host, connection, inBox } = await openGate()
      host.speculations.events = [loggedSpeculationOf(1, { speculationId, outcome: 'completed' })]
      host.speculations.state = noSpeculation
      connection.drop()
      await until(() => inBox().length > 0)
      expect(inBox()).toEqual(text)
    })

    it('does not come back where another window has answered, and this one did not see it', async () => {
      const { host, connection, asked, inBox } = await openGate()
      host.speculations.events = [loggedSpeculationOf(1, { speculationId, outcome: 'accepted' })]
      host.speculations.state = noSpeculation
      connection.drop()
      await until(() => asked('speculation.list').length > 0)
      await Promise.resolve()
      expect(inBox()).toEqual([])
    })
  })

  it('gives its text back where the host tells only how the attempt ended', async () => {
    const { host, store, slice } = await openSpeculation()
    const failure = { code: 'speculation/files-gone' } as const
    const inBox = () => Object.values(store.getState().unsent.byKey).flat()
    const text = [{ kind: 'text', text: link.text }]
    for (const attempts of [1, 2]) {
      expect(await slice().accept(speculationId)).toBe(true)
      expect(inBox()).toEqual([])
      host.speculations.become(speculationStateOf({ ...link, attempts, failure }))
      await until(() => inBox().length > 0)
      expect(inBox()).toEqual(text)
    }
  })

  it('stays out of the box where the host tells of it as it was before its acceptance', async () => {
    const { host, store, slice } = await openSpeculation()
    const toldAgain = { ...link, next: 'その次' }
    const accepted = slice().accept(speculationId)
    host.speculations.become(speculationStateOf(toldAgain))
    expect(await accepted).toBe(true)
    await until(() => store.getState().speculation.current.links[0]?.next === 'その次')
    host.speculations.become(noSpeculation)
    await until(() => store.getState().speculation.current.links.length === 0)
    expect(Object.values(store.getState().unsent.byKey).flat()).toEqual([])
  })

  it('is decided on step by step, and at its gate', async () => {
    const { host, store, slice } = await openSpeculation()
    expect(speculationGate(store.getState())).toBeNull()
    expect(await slice().decide(speculationId, { kind: 'go-on' })).toBe(true)
    host.speculations.become(
      speculationStateOf({ ...link, phase: 'accepting', accepting: { step: 'gate', gate } }),
    )
    await until(() => speculationGate(store.getState())?.gateId === gate.gateId)
    const said: GateAnswerInput = {
      gateId: gate.gateId,
      sincePaintedMs: 1000,
      verdict: 'approve',
      reason: null,
      remember: null,
      answers: [],
    }
    expect(await slice().answerGate(said)).toBeNull()
    expect(host.speculations.said).toEqual([
      { kind: 'decide', speculationId, decision: { kind: 'go-on' } },
      { kind: 'decide', speculationId, decision: { kind: 'gate', answer: said } },
    ])
    host.speculations.become(noSpeculation)
    await until(() => speculationLink(store.getState()) === null)
    expect(await slice().answerGate(said)).toEqual({ code: 'gate/not-open', gateId: gate.gateId })
  })

  it('keeps the reason of a refusal that came too late: it goes into the box', async () => {
    const { host, store, slice } = await openSpeculation()
    const accepting = { step: 'gate', gate } as const
    host.speculations.become(speculationStateOf({ ...link, phase: 'accepting', accepting }))
    await until(() => speculationGate(store.getState()) !== null)
    host.speculations.isTooLate = true
    const { gateId } = gate
    const reason = 'ポートはそのままで'
    const verdict = 'refuse'
    const answer: GateAnswerInput = {
      gateId,
      sincePaintedMs: 1000,
      verdict,
      reason,
      remember: null,
      answers: [],
    }
    expect(await slice().answerGate(answer)).toEqual({ code: 'gate/not-open', gateId })
    expect(store.getState().unsent.byKey[mockSessionId]).toEqual([{ kind: 'text', text: reason }])
  })

  it('goes on after a pause', async () => {
    const { host, slice } = await openSpeculation()
    host.speculations.become({ ...noSpeculation, pause: { accepted: 1, finished: 20 } })
    await until(() => slice().current.pause !== null)
    await slice().resume()
    await until(() => slice().current.pause === null)
  })
})

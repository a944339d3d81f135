import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import type { GateAnswerInput, GateView } from '../../shared/domain/session/gate.ts'
import type { SpeculationEvent, SpeculationState } from '../../shared/domain/session/speculation.ts'
import { AppError } from '../../shared/errors.ts'
import { type AcceptAnswers, type AcceptOutcome, noAnswers } from './accept/acceptable-link.ts'
import { SpeculationCoordinator } from './speculation-coordinator.ts'
import type { RunEnd, SpeculationRun } from './speculation-run.ts'

const accepted = {
  step: 'accepted',
  changeSetId: null,
  files: [],
  left: [],
  waiting: [],
  refusedHunks: 0,
  isAltered: false,
  isRefused: false,
  how: 'replied',
} as const satisfies AcceptOutcome

const oneGate: GateView = { gateId: 'gate', kind: 'apply', calls: [], risk: { level: 'low', reasons: [] } }
const refusal: GateAnswerInput = {
  gateId: 'gate',
  sincePaintedMs: 0,
  verdict: 'refuse',
  answers: [],
  reason: null,
  remember: null,
}

/** A run that ends when the test says so. */
class PlayedRun {
  modelName = 'm'
  end: RunEnd | null = null
  boundary = null
  failure = null
  startedAt = 0
  durationMs = 5
  turns = 1
  calls = 0
  files = []
  spent = { promptTokens: 10, reusedTokens: 9, completionTokens: 1 }
  interrupted = 0
  #over = (): void => undefined
  readonly #played = new Promise<void>((resolve) => {
    this.#over = resolve
  })

  play(): Promise<void> {
    return this.#played
  }
  finish(end: RunEnd): void {
    this.end ??= end
    this.#over()
  }
  async abort(): Promise<void> {
    this.finish('aborted')
  }
  async halt(): Promise<void> {
    this.finish('halted')
  }
  interrupt(): void {
    this.interrupted += 1
    this.finish('boundary')
  }
}

type StageOptions = {
  isOn?: boolean
  isChained?: boolean
  next?: string | null
  /** Before a part of the work goes on. */
  held?: (part: 'start' | 'suggest' | 'accept' | 'outlook') => Promise<void> | undefined
}

function setCoordinator(options: StageOptions = {}) {
  const clock = manualClock()
  const runs: PlayedRun[] = []
  const events = new Map<string, SpeculationEvent>()
  const asked: { id: string; answers: AcceptAnswers }[] = []
  const outcomes: (AcceptOutcome | Error)[] = []
  const endedTurns: string[] = []
  const askingAt: boolean[] = []
  let isOn = options.isOn ?? true
  let count = 0
  let refusals = 0
  const coordinator = new SpeculationCoordinator(
    {
      clock,
      random: { next: () => 0, id: () => `run-${++count}` },
      log: silentLog,
      events: {
        add: (event) => void events.set(event.speculationId, event),
        change: (id, change) => void events.set(id, { ...events.get(id), ...change } as SpeculationEvent),
      },
      settings: () => ({ isOn, isChained: options.isChained ?? false }),
      pause: () => null,
      judged: () => undefined,
      async start() {
        if (refusals > 0) {
          refusals -= 1
          return null
        }
        const run = new PlayedRun()
        runs.push(run)
        if (runs.length > 1) await options.held?.('start')
        return run as unknown as SpeculationRun
      },
      async suggest() {
        await options.held?.('suggest')
        return options.next ?? null
      },
      async accept(_sessionId, link, answers) {
        asked.push({ id: link.speculationId, answers })
        await options.held?.('accept')
        const outcome = outcomes.shift() ?? accepted
        if (outcome instanceof Error) throw outcome
        return outcome
      },
      gates: { withdraw: () => undefined },
      async outlook() {
        await options.held?.('outlook')
        return 'ask'
      },
      askingChanged: () => void askingAt.push(coordinator.isAsking),
      adopted: () => undefined,
      turnEnded: (_sessionId, how) => void endedTurns.push(how),
      texts: { read: () => null, respell: () => new Uint8Array() },
    },
    's',
  )
  const offer = async (text = 'run the tests'): Promise<boolean> => {
    const began = coordinator.offered('g', text)
    await clock.advance(300)
    return began
  }
  return {
    coordinator,
    clock,
    runs,
    events,
    asked,
    outcomes,
    endedTurns,
    askingAt,
    offer,
    /** The next starts are refused. */
    refuse(times: number) {
      refusals = times
    },
    turnOff() {
      isOn = false
      coordinator.revalidate()
    },
    async now(): Promise<SpeculationState> {
      // What was begun goes on by itself.
      for (let round = 0; round < 20; round++) await Promise.resolve()
      const end = new AbortController()
      const { value } = await coordinator.watch(end.signal).next()
      end.abort()
      if (value === undefined) throw new Error('the desk is closed')
      return value
    },
  }
}

describe('a suggestion that is shown', () => {
  it('is begun after 300 ms, and not where it is gone by then', async () => {
    const { coordinator, clock, runs, now } = setCoordinator()
    const first = coordinator.offered('g', 'run the tests')
    await clock.advance(299)
    expect(runs).toHaveLength(0)
    coordinator.withdrawn('run_active')
    expect(await first).toBe(false)
    const second = coordinator.offered('h', 'run the tests')
    await clock.advance(300)
    expect(await second).toBe(true)
    expect((await now()).links).toMatchObject([{ suggestionId: 'h', phase: 'running' }])
  })

  it.each(['/compact', '!ls', '  /help'])('is never begun as a command: %s', async (text) => {
    const { offer, runs } = setCoordinator()
    expect(await offer(text)).toBe(false)
    expect(runs).toHaveLength(0)
  })

  it('is begun only where the user wants that, and ends when they do no more', async () => {
    const off = setCoordinator({ isOn: false })
    expect(await off.offer()).toBe(false)
    const on = setCoordinator()
    await on.offer()
    on.turnOff()
    expect(await on.now()).toMatchObject({ links: [], dropped: 'setting_off' })
    expect(on.runs[0]?.end).toBe('aborted')
    expect(on.events.get('run-1')).toMatchObject({ outcome: 'aborted', reason: 'setting_off' })
  })

  it('is found again by a window that is loaded anew', async () => {
    const { offer, runs, coordinator, now } = setCoordinator()
    await offer()
    expect(await coordinator.offered('g', 'run the tests')).toBe(true)
    expect(runs).toHaveLength(1)
    expect((await now()).links).toHaveLength(1)
  })

  it('is tried again where it was refused at its start, until it is gone', async () => {
    const { offer, coordinator, clock, runs, refuse, now } = setCoordinator()
    refuse(3)
    expect(await offer()).toBe(false)
    await now()
    await clock.advance(1_000)
    await now()
    // A gate opens somewhere: it ends this try, not the wish.
    coordinator.interrupt()
    await clock.advance(1_000)
    await now()
    expect(runs).toHaveLength(0)
    await clock.advance(2_000)
    await now()
    expect(runs).toHaveLength(1)
    expect((await now()).links).toMatchObject([{ suggestionId: 'g', phase: 'running' }])
    const other = setCoordinator()
    other.refuse(1)
    await other.offer()
    other.coordinator.withdrawn('run_active')
    await other.clock.advance(60_000)
    expect(other.runs).toHaveLength(0)
    expect(other.clock.pending).toBe(0)
  })

  it('is dropped while it runs and the box has another text, and tried again later', async () => {
    const { offer, coordinator, clock, runs, events, now } = setCoordinator()
    await offer()
    for (const text of ['', ' ', 'run', 'run the tests']) coordinator.written(text)
    expect((await now()).links).toHaveLength(1)
    coordinator.written('run them')
    expect(await now()).toMatchObject({ links: [], dropped: 'typed', ended: null })
    expect(events.get('run-1')).toMatchObject({ outcome: 'aborted', reason: 'typed' })
    await clock.advance(1_000)
    expect((await now()).links).toMatchObject([{ suggestionId: 'g', phase: 'running' }])
    runs[1]?.finish('completed')
    await now()
    coordinator.written('run them')
    expect((await now()).links).toHaveLength(1)
  })

  it('is not dropped by what answers the questions of its acceptance', async () => {
    const { offer, coordinator, outcomes, now } = setCoordinator()
    await offer()
    outcomes.push({ step: 'gate', gate: oneGate })
    coordinator.accept('run-1')
    coordinator.written('yes')
    expect((await now()).links).toMatchObject([{ accepting: { step: 'gate' } }])
  })

  it('that failed says so, and is dismissed', async () => {
    const { offer, coordinator, runs, now } = setCoordinator()
    await offer()
    runs[0]?.finish('failed')
    expect(await now()).toMatchObject({ links: [], ended: { speculationId: 'run-1', reason: 'failed' } })
    expect(coordinator.reject('run-1')).toBe(true)
    expect((await now()).ended).toBeNull()
  })

  it('that is finished and dropped by a guard says so; by the next message it does not', async () => {
    for (const [reason, isSaid] of [
      ['plan_mode', true],
      ['run_active', false],
      ['ignored', false],
    ] as const) {
      const { offer, coordinator, runs, now } = setCoordinator()
      await offer()
      runs[0]?.finish('completed')
      await now()
      coordinator.withdrawn(reason)
      expect((await now()).ended?.reason ?? null).toBe(isSaid ? reason : null)
    }
  })

  it('keeps what is finished where the model is wanted elsewhere', async () => {
    const { offer, coordinator, runs, now } = setCoordinator()
    await offer()
    coordinator.interrupt()
    expect((await now()).links).toMatchObject([{ phase: 'boundary' }])
    coordinator.interrupt()
    expect(runs[0]?.interrupted).toBe(1)
  })
})

describe('an acceptance', () => {
  it('belongs to whoever was first; a guard that closes meanwhile takes nothing away', async () => {
    const { offer, coordinator, runs, now, outcomes, events, endedTurns } = setCoordinator({
      next: 'commit this',
    })
    await offer()
    runs[0]?.finish('completed')
    expect((await now()).links).toMatchObject([{ phase: 'completed', next: 'commit this' }])
    outcomes.push({ step: 'stale', paths: ['a.ts'], hasMore: false })
    expect(coordinator.accept('other')).toBe(false)
    expect(coordinator.isAccepted('run-1')).toBe(false)
    expect(coordinator.accept('run-1')).toBe(true)
    expect(coordinator.accept('run-1')).toBe(false)
    expect(coordinator.isAccepted('run-1')).toBe(true)
    expect(coordinator.isAccepting).toBe(true)
    coordinator.withdrawn('run_active')
    expect(coordinator.reject('run-1')).toBe(false)
    expect((await now()).links).toMatchObject([{ phase: 'accepting', accepting: { step: 'stale' } }])
    expect(await coordinator.decide('run-1', { kind: 'merge', files: [] })).toBe(false)
    expect(await coordinator.decide('run-1', { kind: 'go-on' })).toBe(true)
    expect(await now()).toMatchObject({ links: [], dropped: 'accepted' })
    expect(events.get('run-1')).toMatchObject({ outcome: 'accepted', hadPipelinedSuggestion: true })
    expect([coordinator.isAccepted('run-1'), coordinator.isAccepted('other')]).toEqual([true, false])
    expect(endedTurns).toEqual(['replied'])
    expect([coordinator.takeNext(), coordinator.takeNext()]).toEqual(['commit this', null])
  })

  it('of a run that goes on brings it to stand first', async () => {
    const { offer, coordinator, runs, now, asked } = setCoordinator({ next: 'commit this' })
    await offer()
    expect(coordinator.accept('run-1')).toBe(true)
    await now()
    expect(runs[0]?.end).toBe('halted')
    expect(asked).toEqual([{ id: 'run-1', answers: noAnswers }])
    expect(coordinator.takeNext()).toBeNull()
  })

  it('that fails leaves the run as it was, with the reason; a gate that was read too fast asks on', async () => {
    const { offer, coordinator, runs, now, outcomes, askingAt } = setCoordinator()
    await offer()
    runs[0]?.finish('completed')
    outcomes.push(new AppError({ code: 'file/disk-full', path: 'a' }))
    coordinator.accept('run-1')
    expect((await now()).links).toMatchObject([{ phase: 'completed', failure: { code: 'file/disk-full' } }])
    outcomes.push({ step: 'gate', gate: oneGate }, new AppError({ code: 'gate/too-early' }))
    coordinator.accept('run-1')
    await now()
    const answer: GateAnswerInput = { ...refusal, verdict: 'approve' }
    await expect(coordinator.decide('run-1', { kind: 'gate', answer })).rejects.toThrow('gate/too-early')
    expect((await now()).links).toMatchObject([{ accepting: { step: 'gate' } }])
    expect(coordinator.isAsking).toBe(true)
    expect(await coordinator.decide('run-1', { kind: 'cancel' })).toBe(true)
    // The list of sessions hears of each change.
    expect(askingAt).toEqual([true, false, true, false])
    expect((await now()).links).toMatchObject([{ phase: 'completed', accepting: null }])
  })

  it('that comes too late drops the run, says so, and runs it again when asked', async () => {
    const { offer, coordinator, runs, now, outcomes, events } = setCoordinator()
    await offer()
    runs[0]?.finish('completed')
    outcomes.push({ step: 'lost' })
    coordinator.accept('run-1')
    const ended = { speculationId: 'run-1', text: 'run the tests', reason: 'lost', error: null }
    expect(await now()).toMatchObject({ links: [], dropped: 'lost', ended })
    expect(events.get('run-1')).toMatchObject({ outcome: 'aborted', reason: 'lost' })
    expect(await coordinator.rerun('other')).toBe(false)
    expect(await coordinator.rerun('run-1')).toBe(true)
    expect(runs).toHaveLength(2)
    expect(await now()).toMatchObject({ links: [{ text: 'run the tests', phase: 'running' }], ended: null })
  })

  it('that is left leaves a run that it stopped, which is marked as any other and not dropped silently', async () => {
    const { offer, coordinator, runs, now, outcomes } = setCoordinator()
    await offer()
    Object.assign(runs[0] ?? {}, { files: [{}] })
    outcomes.push({ step: 'gate', gate: oneGate })
    coordinator.accept('run-1')
    await now()
    expect(runs[0]?.end).toBe('halted')
    expect(await coordinator.decide('run-1', { kind: 'cancel' })).toBe(true)
    expect((await now()).links).toMatchObject([{ phase: 'boundary', accepting: null, onAccept: 'ask' }])
    coordinator.withdrawn('plan_mode')
    expect((await now()).ended).toMatchObject({ speculationId: 'run-1', reason: 'plan_mode' })
  })

  it('that is left after the user has turned speculations off ends there', async () => {
    const { offer, coordinator, runs, now, outcomes, turnOff } = setCoordinator()
    await offer()
    runs[0]?.finish('completed')
    outcomes.push({ step: 'gate', gate: oneGate })
    coordinator.accept('run-1')
    await now()
    turnOff()
    expect((await now()).links).toMatchObject([{ phase: 'accepting' }])
    await coordinator.decide('run-1', { kind: 'cancel' })
    expect(await now()).toMatchObject({ links: [], dropped: 'setting_off' })
  })

  it('that is refused too late does not take the answer: its reason stays with the user', async () => {
    for (const outcome of [{ step: 'lost' }, new AppError({ code: 'speculation/files-gone' })] as const) {
      const { offer, coordinator, runs, now, outcomes } = setCoordinator()
      await offer()
      runs[0]?.finish('completed')
      outcomes.push({ step: 'gate', gate: oneGate }, outcome)
      coordinator.accept('run-1')
      await now()
      expect(await coordinator.answerGate({ ...refusal, reason: 'no, keep the port' })).toBe(false)
      expect((await now()).links).toHaveLength(outcome instanceof Error ? 1 : 0)
    }
  })

  it('that a rule forbids leaves the run, with the reason', async () => {
    const { offer, coordinator, runs, now, outcomes } = setCoordinator()
    await offer()
    runs[0]?.finish('completed')
    outcomes.push({ step: 'denied', denial: { kind: 'rule', pattern: 'deny edit' } })
    coordinator.accept('run-1')
    const failure = { code: 'speculation/denied', denial: 'rule', detail: 'deny edit' }
    expect(await now()).toMatchObject({
      links: [{ phase: 'completed', accepting: null, failure }],
      ended: null,
    })
    coordinator.accept('run-1')
    expect(await now()).toMatchObject({ links: [], dropped: 'accepted' })
  })

  it('is given up by a user who goes on with something else', async () => {
    const { offer, coordinator, runs, now, outcomes, events } = setCoordinator()
    await offer()
    runs[0]?.finish('completed')
    outcomes.push({ step: 'stale', paths: ['a.ts'], hasMore: false })
    coordinator.accept('run-1')
    await now()
    expect(coordinator.isAccepting).toBe(true)
    await coordinator.leave()
    expect(await now()).toMatchObject({ links: [], dropped: 'left', ended: null })
    expect(events.get('run-1')).toMatchObject({ outcome: 'rejected', reason: 'left' })
  })

  it('that refuses everything is a rejection', async () => {
    const { offer, coordinator, runs, outcomes, events, now } = setCoordinator()
    await offer()
    runs[0]?.finish('completed')
    outcomes.push({ ...accepted, isRefused: true, isAltered: true, refusedHunks: 2 })
    coordinator.accept('run-1')
    await now()
    expect(events.get('run-1')).toMatchObject({ outcome: 'rejected', reason: 'refused', refusedHunks: 2 })
  })
})

describe('a chain', () => {
  async function chained() {
    const stage = setCoordinator({ isChained: true, next: 'commit this' })
    await stage.offer()
    stage.runs[0]?.finish('completed')
    expect((await stage.now()).links).toMatchObject([{ text: 'run the tests' }, { text: 'commit this' }])
    return stage
  }

  it('is two runs at the most, the second on top of the first', async () => {
    const { runs, now } = await chained()
    runs[1]?.finish('completed')
    expect((await now()).links).toHaveLength(2)
    expect(runs).toHaveLength(2)
  })

  it('goes on from its second run when the first is accepted', async () => {
    const { coordinator, runs, now } = await chained()
    expect(coordinator.accept('run-2')).toBe(false)
    coordinator.accept('run-1')
    expect((await now()).links).toMatchObject([{ speculationId: 'run-2', phase: 'running' }])
    expect(await coordinator.offered('h', (await coordinator.takeNext()) ?? '')).toBe(true)
    expect((await now()).links).toMatchObject([{ speculationId: 'run-2', suggestionId: 'h' }])
    expect(runs).toHaveLength(2)
  })

  it('loses all behind a link that is dropped, or accepted otherwise than it was made', async () => {
    const first = await chained()
    expect(first.coordinator.reject('run-1')).toBe(true)
    expect((await first.now()).links).toEqual([])
    expect(first.events.get('run-2')).toMatchObject({ outcome: 'aborted', reason: 'superseded' })
    const second = await chained()
    second.outcomes.push({ ...accepted, isAltered: true, refusedHunks: 1 })
    second.coordinator.accept('run-1')
    expect((await second.now()).links).toEqual([])
    expect(second.runs[1]?.end).toBe('aborted')
    expect(second.coordinator.takeNext()).toBeNull()
  })

  const parts = ['accept', 'suggest', 'outlook', 'start'] as const
  type Part = (typeof parts)[number]
  const orders = (left: readonly Part[]): Part[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((one) => orders(left.filter((other) => other !== one)).map((rest) => [one, ...rest]))

  it.each(orders(parts))('goes on in whatever order its parts end: %s, %s, %s, %s', async (...order) => {
    const gates = new Map(parts.map((part) => [part, Promise.withResolvers<void>()]))
    const stage = setCoordinator({
      isChained: true,
      next: 'commit this',
      held: (part) => gates.get(part)?.promise,
    })
    const { coordinator, clock, runs, now } = stage
    await stage.offer()
    runs[0]?.finish('completed')
    await now()
    coordinator.accept('run-1')
    for (const part of order) {
      gates.get(part)?.resolve()
      await now()
    }
    expect((await now()).links).not.toMatchObject([{ speculationId: 'run-1' }])
    // The window shows it, and it is run, once.
    const text = await coordinator.takeNext()
    expect(text).toBe('commit this')
    const began = coordinator.offered('h', 'commit this')
    await now()
    await clock.advance(300)
    expect(await began).toBe(true)
    expect((await now()).links).toMatchObject([{ suggestionId: 'h', text: 'commit this', phase: 'running' }])
    expect(runs.filter(({ end }) => end === null)).toHaveLength(1)
    await clock.advance(60_000)
    expect((await now()).links).toHaveLength(1)
  })

  it.each(orders(parts))('is shown before its parts have ended: %s, %s, %s, %s', async (...order) => {
    const gates = new Map(parts.map((part) => [part, Promise.withResolvers<void>()]))
    const stage = setCoordinator({
      isChained: true,
      next: 'commit this',
      held: (part) => gates.get(part)?.promise,
    })
    const { coordinator, clock, runs, endedTurns, now } = stage
    await stage.offer()
    runs[0]?.finish('completed')
    await now()
    coordinator.accept('run-1')
    let offering: Promise<unknown> | null = null
    for (const part of order) {
      gates.get(part)?.resolve()
      await now()
      if (endedTurns.length > 0)
        offering ??= Promise.resolve(coordinator.takeNext()).then((text) =>
          coordinator.offered('h', text ?? ''),
        )
    }
    await now()
    await clock.advance(300)
    await offering
    expect((await now()).links).toMatchObject([{ suggestionId: 'h', text: 'commit this', phase: 'running' }])
    expect(runs.filter(({ end }) => end === null)).toHaveLength(1)
  })

  it('that is accepted otherwise than it was made has nothing starting on top of it', async () => {
    const start = Promise.withResolvers<void>()
    const stage = setCoordinator({
      isChained: true,
      next: 'commit this',
      held: (part) => (part === 'start' ? start.promise : undefined),
    })
    const { coordinator, runs, outcomes, now } = stage
    await stage.offer()
    runs[0]?.finish('completed')
    await now()
    expect(runs).toHaveLength(2)
    outcomes.push({ ...accepted, isAltered: true })
    coordinator.accept('run-1')
    await now()
    start.resolve()
    expect((await now()).links).toEqual([])
    expect(runs[1]?.end).toBe('aborted')
  })

  it('is not run a second time where its next one is accepted before it is shown', async () => {
    const { coordinator, clock, runs, outcomes, now } = await chained()
    coordinator.accept('run-1')
    await now()
    outcomes.push({ step: 'stale', paths: ['a.ts'], hasMore: false })
    coordinator.accept('run-2')
    expect(await coordinator.offered('h', 'commit this')).toBe(true)
    await clock.advance(60_000)
    expect((await now()).links).toMatchObject([{ speculationId: 'run-2', phase: 'accepting' }])
    expect(runs).toHaveLength(2)
  })
})

describe('a run that is wanted again', () => {
  it('waits for what was dropped to let the model go', async () => {
    const suggested = Promise.withResolvers<void>()
    const stage = setCoordinator({
      next: 'commit this',
      held: (part) => (part === 'suggest' ? suggested.promise : undefined),
    })
    const { coordinator, runs, now } = stage
    await stage.offer()
    runs[0]?.finish('completed')
    await now()
    const again = coordinator.rerun('run-1')
    await now()
    expect(runs).toHaveLength(1)
    suggested.resolve()
    expect(await again).toBe(true)
    expect((await now()).links).toMatchObject([{ text: 'run the tests', phase: 'running' }])
    expect(runs).toHaveLength(2)
  })
})

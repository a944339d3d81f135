import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { setStage } from '../../../tests/fakes/sessions/runner-stage.ts'
import { AppError } from '../../shared/errors.ts'
import type { SubmitItem } from '../sessions/prompt-submit.ts'
import { ReadLedger } from '../tools/edits/read-ledger.ts'
import { createSpeculationStarter, type SpeculationStarterDeps } from './speculation-starter.ts'
import type { RunStart } from './speculation-starts.ts'

const never = new AbortController().signal
const text = 'run the tests'
const cloud = { backend: 'openai', address: 'https://models.example/v1' }

type Options = {
  isKnown?: boolean
  isTrusted?: boolean
  isBusy?: boolean
  profile?: object
  hasOpenGate?: boolean
  /** The unsent text in the session's message box. */
  box?: string
  /** Reads the attachments of the suggested message. */
  submit?: (box: { text: string }) => Promise<SubmitItem[]>
}

/** A session whose suggestion may be run, with the overlays that were opened for it. */
function starterRig(options: Options = {}) {
  const stage = setStage()
  const { session, runner } = stage
  const folder = { root: '/w', operations: {}, operationsIn: () => ({}), ledger: new ReadLedger() }
  const model = { fork: () => model }
  const open = { session, runner, folder, model }
  const box = { text: options.box ?? '' }
  const overlays: { isDiscarded: boolean; isOnTop: boolean }[] = []
  const openOverlay = async (isOnTop: boolean) => {
    const overlay = {
      isOnTop,
      isDiscarded: false,
      hasWrites: false,
      operations: {},
      stack: () => openOverlay(true),
      async discard() {
        overlay.isDiscarded = true
      },
    }
    overlays.push(overlay)
    return overlay
  }
  const active = {
    profile: options.profile ?? { backend: 'embedded' },
    client: { isBusy: options.isBusy ?? false },
    modelName: 'small',
  }
  const deps = {
    clock: manualClock(),
    host: {
      known: () => (options.isKnown === false ? undefined : open),
      hasOpenGate: () => options.hasOpenGate ?? false,
    },
    models: { active: async () => active },
    overlays: { open: () => openOverlay(false) },
    settings: { get: () => ({ speculationRole: 'main' }) },
    workSettings: { switches: () => ({ stopAtFirstWrite: false }) },
    sandbox: { isReady: async () => false },
    submits: { submit: () => options.submit?.(box) ?? Promise.resolve([]) },
    toolsOf: () => ({ toolbox: {} }),
    trust: { get: () => ({ isTrusted: options.isTrusted ?? true }) },
    unsent: {
      list: () => [
        { sessionId: session.sessionId, about: 'call-1', segments: [{ kind: 'text', text: 'an answer' }] },
        { sessionId: session.sessionId, about: null, segments: [{ kind: 'text', text: box.text }] },
      ],
    },
  }
  const start = createSpeculationStarter(deps as unknown as SpeculationStarterDeps)
  const wanted: RunStart = {
    sessionId: session.sessionId,
    speculationId: 'run-1',
    text,
    onto: null,
    onChange: () => undefined,
  }
  return {
    session,
    overlays,
    start: (more: Partial<RunStart> = {}, signal = never) => start({ ...wanted, ...more }, signal),
  }
}

describe('a suggestion is not run', () => {
  const refused: [string, Options][] = [
    ['while its session is not in memory', { isKnown: false }],
    ['in a folder that the user does not trust', { isTrusted: false }],
    ['while a model with one slot answers another request', { isBusy: true }],
    ['while the user has a gate to read', { hasOpenGate: true }],
    ['while the message box has another text, so that it is not seen', { box: 'no, the other one' }],
  ]
  it.each(refused)('%s', async (_, options) => {
    const { start, overlays } = starterRig(options)
    expect(await start()).toBeNull()
    expect(overlays).toEqual([])
  })

  it('where the box gets another text while its attachments are read; its files are discarded', async () => {
    const { start, overlays } = starterRig({
      async submit(box) {
        box.text = 'no, the other one'
        return []
      },
    })
    expect(await start()).toBeNull()
    expect(overlays).toMatchObject([{ isDiscarded: true }])
  })

  it('where it could not be sent as a message: the reason is thrown, and its files are discarded', async () => {
    const { start, overlays } = starterRig({
      submit: () => Promise.reject(new AppError({ code: 'session/cancelled', reason: 'hook' })),
    })
    await expect(start()).rejects.toThrow('session/cancelled')
    expect(overlays).toMatchObject([{ isDiscarded: true }])
  })

  it.each(['read', 'not readable'])('where it is given up and its attachments are then %s', async (end) => {
    const given = new AbortController()
    const { start, overlays } = starterRig({
      async submit() {
        given.abort()
        if (end === 'read') return []
        throw new Error('aborted')
      },
    })
    expect(await start({}, given.signal)).toBeNull()
    expect(overlays).toMatchObject([{ isDiscarded: true }])
  })
})

describe('a suggestion is run', () => {
  it('by a service that serves many requests at once, and while its beginning is typed', async () => {
    const { start } = starterRig({ profile: cloud, isBusy: true, box: 'run the' })
    expect(await start()).toMatchObject({ modelName: 'small', end: null })
  })

  it('in a fork, which knows the folders of the session and leaves it as it is', async () => {
    const { start, session, overlays } = starterRig()
    session.setFolders([{ path: '/added', isTrusted: true }])
    const before = session.record
    const run = await start()
    run?.fork.session.startTurn([{ kind: 'text', text }])
    expect(run?.fork.session.folders).toEqual([{ path: '/added', isTrusted: true }])
    expect(run?.fork.session.turn).toBe(session.turn + 1)
    expect(session.record).toBe(before)
    expect(overlays).toMatchObject([{ isDiscarded: false }])
  })

  it('on top of another run whatever the message box has, since it is not shown yet', async () => {
    const { start, overlays } = starterRig()
    const first = await start()
    const rig = starterRig({ box: 'no, the other one' })
    const second = await rig.start({ speculationId: 'run-2', onto: first })
    expect(second?.fork.session).not.toBe(first?.fork.session)
    expect(overlays).toMatchObject([
      { isOnTop: false, isDiscarded: false },
      { isOnTop: true, isDiscarded: false },
    ])
    expect(rig.overlays).toEqual([])
  })

  it('and what its acceptance takes are the turns of its fork, without an unfinished answer', async () => {
    const { start, overlays } = starterRig()
    const run = await start()
    const fork = run?.fork.session
    fork?.startTurn([{ kind: 'text', text }])
    const answer = { kind: 'answer', purpose: 'reply', text: 'I', reasoning: '', state: 'writing' } as const
    fork?.add({ kind: 'user', how: 'send', segments: [{ kind: 'text', text }] })
    fork?.add({ ...answer, isCut: false, usage: null, modelName: 'small', isDemo: false })
    const link = run?.acceptable
    expect(link).toMatchObject({ speculationId: 'run-1', boundary: null, held: [], heldBefore: [] })
    expect(link?.overlay).toBe(overlays[0])
    const turn = link?.fork()
    expect(turn).toMatchObject({ modelName: 'small', from: { entries: 0 } })
    expect(turn?.items.map(({ kind }) => kind)).toEqual(['user'])
  })
})

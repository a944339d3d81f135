import { z } from 'zod'
import { segmentsText, type UnsentMessage } from '../../shared/domain/session/message-segment.ts'
import type { SpeculationPause, SpeculationState } from '../../shared/domain/session/speculation.ts'
import type { TrustService } from '../gates/trust-service.ts'
import type { Rewinds } from '../sessions/rewinds.ts'
import type { OpenSession, SessionHost } from '../sessions/session-host.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { SettingRepository } from '../store/app/setting-repository.ts'
import type { SpeculationRepository } from '../store/sessions/speculation-repository.ts'
import type { AcceptingSession } from './accept/acceptable-link.ts'
import type { Acceptance } from './accept/acceptance.ts'
import { SpeculationCoordinator, type SpeculationCoordinatorDeps } from './speculation-coordinator.ts'

export type SpeculationServiceDeps = Omit<
  SpeculationCoordinatorDeps,
  'settings' | 'pause' | 'judged' | 'accept' | 'outlook' | 'adopted' | 'turnEnded' | 'askingChanged'
> & {
  /** Errors: `session/not-found`. */
  check(sessionId: string): void
  pausing: SpeculationPausing
  host: Pick<SessionHost, 'on' | 'known' | 'turnEnded' | 'listChanged'>
  rewinds: Pick<Rewinds, 'over'>
  trust: Pick<TrustService, 'get' | 'onChange'>
  workSettings: Pick<WorkSettingsService, 'switches'>
  acceptance: Acceptance
  /** Yields each change of the settings of the app and of the folders. Ends with the signal. */
  changes(signal: AbortSignal): readonly AsyncIterable<unknown>[]
  /** Yields each message that a window keeps unsent. Ends with the signal. */
  unsent(signal: AbortSignal): AsyncIterable<UnsentMessage>
}

/** The part of a speculation coordinator that a suggestion coordinator uses. */
export type GhostHearer = Pick<SpeculationCoordinator, 'isAccepting' | 'offered' | 'withdrawn' | 'takeNext'>

export type SpeculationService = ReturnType<typeof createSpeculationService>

/** The speculations of all sessions. */
export function createSpeculationService(deps: SpeculationServiceDeps) {
  const { host, trust, acceptance } = deps
  const coordinators = new Map<string, SpeculationCoordinator>()
  const watched = new Map<string, number>()
  const life = new AbortController()
  const hearing = [...deps.changes(life.signal).map(hear), hearUnsent()]

  const checkAll = (): void => {
    for (const coordinator of coordinators.values()) coordinator.revalidate()
  }
  const coordinatorDeps: SpeculationCoordinatorDeps = {
    ...deps,
    settings(sessionId) {
      const open = host.known(sessionId)
      if (open === undefined) return { isOn: false, isChained: false }
      const { enableSpeculation, enableChainedSpeculation } = deps.workSettings.switches(open.session.workId)
      const isOn = enableSpeculation && trust.get(open.folder.root).isTrusted
      return { isOn, isChained: enableChainedSpeculation }
    },
    pause: deps.pausing.get,
    judged() {
      const before = deps.pausing.get()
      deps.pausing.judge()
      if (before === null && deps.pausing.get() !== null) checkAll()
    },
    async accept(sessionId, { run }, answers) {
      const open = host.known(sessionId)
      if (open === undefined) return { step: 'lost' }
      // An undo that is under way would remove the accepted turn as well.
      await deps.rewinds.over(open)
      return acceptance.accept(run.acceptable, acceptingSession(open), answers)
    },
    async outlook(sessionId, { run }) {
      const open = host.known(sessionId)
      return open === undefined ? 'write' : acceptance.outlook(run.acceptable, acceptingSession(open))
    },
    adopted(sessionId, run, { how, files }) {
      const open = host.known(sessionId)
      open?.model.adopt(sessionId, run.fork.model)
      if (how === null) open?.runner.goOn(files.length > 0)
    },
    turnEnded: host.turnEnded,
    askingChanged(sessionId) {
      const open = host.known(sessionId)
      if (open !== undefined) host.listChanged(open.session.workId)
    },
  }

  async function hear(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _ of changes) checkAll()
  }

  async function hearUnsent(): Promise<void> {
    for await (const { sessionId, about, segments } of deps.unsent(life.signal)) {
      if (sessionId !== null && about === null) coordinators.get(sessionId)?.written(segmentsText(segments))
    }
  }

  function coordinatorOf(sessionId: string): SpeculationCoordinator {
    const known = coordinators.get(sessionId)
    if (known !== undefined) return known
    const coordinator = new SpeculationCoordinator(coordinatorDeps, sessionId)
    coordinators.set(sessionId, coordinator)
    return coordinator
  }

  /** Drops the coordinator of a session that no window watches and in which no speculation runs. */
  function forget(sessionId: string): void {
    if (coordinators.get(sessionId)?.isIdle === true && !watched.has(sessionId))
      coordinators.delete(sessionId)
  }

  const stopHearingTrust = trust.onChange(checkAll)
  const stopHearing = host.on((event) => {
    // No request runs in the background while the user has a gate to read, in whichever session.
    if (event.type === 'gateOpened') for (const coordinator of coordinators.values()) coordinator.interrupt()
    if (event.type !== 'closed') return
    coordinators.get(event.sessionId)?.withdrawn('session_closed')
    forget(event.sessionId)
  })

  return {
    /** Errors: `session/not-found`. */
    async *watch(sessionId: string, signal: AbortSignal): AsyncGenerator<SpeculationState, void, void> {
      deps.check(sessionId)
      watched.set(sessionId, (watched.get(sessionId) ?? 0) + 1)
      try {
        yield* coordinatorOf(sessionId).watch(AbortSignal.any([signal, life.signal]))
      } finally {
        const left = (watched.get(sessionId) ?? 1) - 1
        if (left > 0) watched.set(sessionId, left)
        else watched.delete(sessionId)
        forget(sessionId)
      }
    },
    /** Returns the speculations of a session that is watched, or in which suggestions were shown. */
    known: (sessionId: string): SpeculationCoordinator | undefined => coordinators.get(sessionId),
    pausing: deps.pausing,
    resume(): void {
      deps.pausing.resume()
      checkAll()
    },
    of: (sessionId: string): GhostHearer => coordinatorOf(sessionId),
    async close(): Promise<void> {
      stopHearing()
      stopHearingTrust()
      life.abort()
      await Promise.all([...hearing, ...[...coordinators.values()].map((coordinator) => coordinator.close())])
    },
  }
}

function acceptingSession({ session, runner, folder: { root, ledger } }: OpenSession): AcceptingSession {
  return { session, runner, root, ledger }
}

/** Number of finished runs that are judged; with fewer there is no pause. */
const judgedRuns = 20
/** Source: `docs/decisions/speculation.md`, Cost. */
const leastShare = 0.2

const key = 'speculation-pause'
/** Shape: `since`: the record's last position when the user resumed; runs before it do not count any more. */
const Kept = z.object({
  since: z.int(),
  pause: z.object({ accepted: z.int(), finished: z.int() }).nullable(),
})

type SpeculationPausing = ReturnType<typeof pausingBy>

/** Pauses speculations that are hardly ever accepted, until the user resumes; a restart does not end the pause. */
export function pausingBy(
  events: Pick<SpeculationRepository, 'judged' | 'last'>,
  settings: Pick<SettingRepository, 'get' | 'set'>,
) {
  const kept = () => Kept.catch({ since: 0, pause: null }).parse(settings.get(key) ?? {})
  return {
    get: (): SpeculationPause | null => kept().pause,
    /** Called after each run that was decided on. */
    judge(): void {
      const { since, pause } = kept()
      if (pause !== null) return
      const runs = events.judged(since, judgedRuns)
      const accepted = runs.filter(({ outcome }) => outcome === 'accepted').length
      if (runs.length < judgedRuns || accepted >= judgedRuns * leastShare) return
      settings.set(key, { since, pause: { accepted, finished: runs.length } })
    },
    resume: (): void => settings.set(key, { since: events.last(), pause: null }),
  }
}

import type { GateAnswerInput } from '../../shared/domain/session/gate.ts'
import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { SpeculationDecision, SpeculationState } from '../../shared/domain/session/speculation.ts'
import type { UnsentMessage } from '../../shared/domain/session/unsent-message.ts'
import type { SessionHost } from '../sessions/session-host.ts'
import type { previewOfFiles } from './accept/preview-files.ts'
import { SpeculationCoordinator, type SpeculationCoordinatorDeps } from './speculation-coordinator.ts'
import type { SpeculationPausing } from './speculation-pausing.ts'
import type { SpeculationRun } from './speculation-run.ts'

type SpeculationPreview = ReturnType<typeof previewOfFiles> & { items: SessionItem[] }

export type SpeculationServiceDeps = Omit<SpeculationCoordinatorDeps, 'pause' | 'judged'> & {
  /** Errors: `session/not-found`. */
  check(sessionId: string): void
  pausing: SpeculationPausing
  host: Pick<SessionHost, 'on'>
  preview(run: SpeculationRun): Promise<Omit<SpeculationPreview, 'items'>>
  /** Yields each change of what speculations depend on: settings and trust. Ends with the signal. */
  changes(signal: AbortSignal): readonly AsyncIterable<unknown>[]
  /** Yields each message that a window keeps unsent. Ends with the signal. */
  unsent(signal: AbortSignal): AsyncIterable<UnsentMessage>
}

/** The part of a speculation coordinator that a suggestion coordinator uses. */
export type GhostHearer = Pick<SpeculationCoordinator, 'isAccepting' | 'offered' | 'withdrawn' | 'takeNext'>

/** The speculations of all sessions. */
export type SpeculationService = {
  /** Errors: `session/not-found`. */
  watch(sessionId: string, signal: AbortSignal): AsyncGenerator<SpeculationState, void, void>
  accept(sessionId: string, speculationId: string): boolean
  /** True for a speculation that is being accepted, or was accepted last. */
  isTaken(sessionId: string, speculationId: string): boolean
  /** Errors: `gate/not-open`, `gate/too-early`. */
  decide(sessionId: string, speculationId: string, decision: SpeculationDecision): Promise<boolean>
  reject(sessionId: string, speculationId: string): boolean
  /** Errors: `speculation/busy`. */
  rerun(sessionId: string, speculationId: string): Promise<boolean>
  /** Returns the result of a speculation so far; null where it is gone. */
  preview(sessionId: string, speculationId: string): Promise<SpeculationPreview | null>
  /** Returns false where no acceptance asks by this gate. Errors: `gate/not-open`, `gate/too-early`. */
  answerGate(sessionId: string, answer: GateAnswerInput): Promise<boolean>
  isAccepting(sessionId: string): boolean
  /** Finds out again what an acceptance would ask, since the mode of the session has changed. */
  look(sessionId: string): void
  /** True while an acceptance waits for the user's answer. */
  isAsking(sessionId: string): boolean
  /** Gives up a speculation whose acceptance waits for the user. */
  leave(sessionId: string): Promise<void>
  pausing: Pick<SpeculationPausing, 'get'>
  resume(): void
  of(sessionId: string): GhostHearer
  close(): Promise<void>
}

export function createSpeculationService(deps: SpeculationServiceDeps): SpeculationService {
  const coordinators = new Map<string, SpeculationCoordinator>()
  const watched = new Map<string, number>()
  const life = new AbortController()
  const hearing = [...deps.changes(life.signal).map(hear), hearUnsent()]

  const lookAll = (): void => {
    for (const coordinator of coordinators.values()) coordinator.look()
  }
  const coordinatorDeps: SpeculationCoordinatorDeps = {
    ...deps,
    pause: deps.pausing.get,
    judged() {
      const before = deps.pausing.get()
      deps.pausing.judge()
      if (before === null && deps.pausing.get() !== null) lookAll()
    },
  }

  async function hear(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _ of changes) lookAll()
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

  const stopHearing = deps.host.on((event) => {
    // No request runs in the background while the user has a gate to read, in whichever session.
    if (event.type === 'gateOpened') for (const coordinator of coordinators.values()) coordinator.interrupt()
    if (event.type !== 'closed') return
    coordinators.get(event.sessionId)?.withdrawn('session_closed')
    forget(event.sessionId)
  })

  return {
    async *watch(sessionId, signal) {
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
    isTaken: (sessionId, speculationId) => coordinators.get(sessionId)?.isTaken(speculationId) ?? false,
    accept: (sessionId, speculationId) => coordinators.get(sessionId)?.accept(speculationId) ?? false,
    decide: async (sessionId, speculationId, decision) =>
      (await coordinators.get(sessionId)?.decide(speculationId, decision)) ?? false,
    reject: (sessionId, speculationId) => coordinators.get(sessionId)?.reject(speculationId) ?? false,
    rerun: async (sessionId, speculationId) =>
      (await coordinators.get(sessionId)?.rerun(speculationId)) ?? false,
    async preview(sessionId, speculationId) {
      const run = coordinators.get(sessionId)?.runOf(speculationId) ?? null
      return run === null ? null : { ...(await deps.preview(run)), items: run.items }
    },
    answerGate: async (sessionId, answer) => (await coordinators.get(sessionId)?.answerGate(answer)) ?? false,
    isAccepting: (sessionId) => coordinators.get(sessionId)?.isAccepting ?? false,
    look: (sessionId) => coordinators.get(sessionId)?.look(),
    isAsking: (sessionId) => coordinators.get(sessionId)?.isAsking ?? false,
    leave: async (sessionId) => coordinators.get(sessionId)?.leave(),
    pausing: deps.pausing,
    resume() {
      deps.pausing.resume()
      lookAll()
    },
    of: coordinatorOf,
    async close() {
      stopHearing()
      life.abort()
      await Promise.all([...hearing, ...[...coordinators.values()].map((coordinator) => coordinator.close())])
    },
  }
}

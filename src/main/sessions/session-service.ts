import { z } from 'zod'
import type { ModelRequest } from '../../shared/domain/model/model-request.ts'
import { type AgentMemory, newAgentState } from '../../shared/domain/session/agent-state.ts'
import {
  type ListedSession,
  noSessionStats,
  type Session,
  type SessionHit,
} from '../../shared/domain/session/session.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { GateService } from '../gates/gate-service.ts'
import type { RuleService } from '../gates/rules/rule-service.ts'
import type { TrustService } from '../gates/trust-service.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { SpeculationService } from '../speculation/speculation-service.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import type { CommandRunner } from '../tools/commands/create-command-runner.ts'
import type { RequestLog } from './request-log.ts'
import type { SessionFolderList } from './session-folders.ts'
import type { SessionHost } from './session-host.ts'
import type { SessionUndo } from './session-undo.ts'

export type SessionServiceDeps = {
  clock: Clock
  random: Random
  log: Log
  repository: SessionRepository
  gates: Pick<GateService, 'onVoid' | 'withdraw'>
  rules: Pick<RuleService, 'onSessionRules'>
  host: SessionHost
  undo: SessionUndo
  folders: Pick<SessionFolderList, 'heardTrust'>
  rootOf(workId: string): string
  language(): 'ja' | 'en'
  /** The state of the project that a new session inherits. */
  memory: { get(workId: string): AgentMemory | undefined }
  requests: Pick<RequestLog, 'of' | 'forget'>
  trust: Pick<TrustService, 'onChange'>
  commands: Pick<CommandRunner, 'stopOwned'>
  sandbox: Pick<CommandSandbox, 'dropOf'>
  speculations: Pick<SpeculationService, 'known'>
}

const foundHits = 100

export type SessionService = ReturnType<typeof createSessionService>

/** Conversations in folders; requests to an open one are verbs. Errors: `session/not-found` for an unknown id. */
export function createSessionService(deps: SessionServiceDeps) {
  const { repository, gates, random, clock, undo, host: sessions } = deps
  const stopHearing = gates.onVoid((sessionId, gateId, items) =>
    sessions.known(sessionId)?.runner.voidGate(gateId, items),
  )
  // Stored as they come: an answer may be pressed or typed, and belong to a gate of a speculation.
  const stopKeeping = deps.rules.onSessionRules((sessionId, rules) =>
    sessions.known(sessionId)?.session.keep({ rules }),
  )

  const stopHearingTrust = deps.trust.onChange((root, { isTrusted }) => {
    for (const open of sessions.all()) deps.folders.heardTrust(open, root, isTrusted)
  })

  const list = (workId: string): ListedSession[] =>
    repository.list(workId).map((record) => {
      const live = sessions.known(record.session.sessionId)?.session
      const isLeft = live?.isWaiting ?? isLeftWaiting(record.state)
      const isWaiting = isLeft || deps.speculations.known(record.session.sessionId)?.isAsking === true
      return { ...record.session, isWorking: live?.isWorking ?? false, isWaiting }
    })

  /** Opens sessions of a work with an undo that an earlier host began: opening a session finishes its undo. */
  function finishUndos(workId: string): void {
    for (const sessionId of undo.unfinished(workId)) {
      if (sessions.known(sessionId) !== undefined) continue
      sessions.use(sessionId, async () => undefined).catch((error: unknown) => deps.log.bug(error, 'undo'))
    }
  }

  return {
    async *watchList(
      workId: string,
      signal: AbortSignal,
    ): AsyncGenerator<{ sessions: ListedSession[] }, void, void> {
      finishUndos(workId)
      const changes = sessions.listChanges(signal)
      yield { sessions: list(workId) }
      for await (const changed of changes) if (changed === workId) yield { sessions: list(workId) }
    },
    create(workId: string): Session {
      deps.rootOf(workId)
      const now = clock.now()
      const memory = deps.memory.get(workId)
      const session: Session = {
        sessionId: random.id(),
        workId,
        title: '',
        createdAt: now,
        updatedAt: now,
        messages: 0,
        branchedFrom: null,
      }
      repository.add({
        session,
        isTitled: false,
        language: deps.language(),
        turn: 0,
        epoch: 0,
        lastSeq: 0,
        state: newAgentState(memory === undefined ? {} : { memory }),
        rules: [],
        stats: noSessionStats,
        queue: [],
        folders: [],
      })
      sessions.listChanged(workId)
      return session
    },
    async remove(sessionId: string): Promise<void> {
      const { session } = repository.get(sessionId)
      await deps.speculations.known(sessionId)?.leave()
      await sessions.close(sessionId)
      gates.withdraw(sessionId)
      await deps.commands.stopOwned(sessionId)
      await deps.sandbox.dropOf(sessionId)
      repository.remove(sessionId)
      undo.forget(session)
      deps.requests.forget(sessionId)
      sessions.listChanged(session.workId)
    },
    watch: sessions.watch,
    search: (query: string, workId: string | undefined): SessionHit[] =>
      repository.search({ query, workId, limit: foundHits }),
    requests(sessionId: string): ModelRequest[] {
      repository.get(sessionId)
      return deps.requests.of(sessionId)
    },
    /** Ends running work, saves, and releases all sessions. */
    async close(): Promise<void> {
      stopHearing()
      stopKeeping()
      stopHearingTrust()
      await sessions.closeAll()
    },
  }
}

const LeftState = z.object({ waiting: z.string(), gates: z.array(z.unknown()) })

/** True where an earlier host left the session with a gate or a question open. */
function isLeftWaiting(stored: unknown): boolean {
  const { data } = LeftState.safeParse(stored)
  return data !== undefined && (data.gates.length > 0 || data.waiting === 'answer')
}

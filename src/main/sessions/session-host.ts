import { isDeepStrictEqual } from 'node:util'
import { type AgentMemory, isTurnInProgress, type TurnEnd } from '../../shared/domain/session/agent-state.ts'
import { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import type { SessionEvent } from '../../shared/domain/session/session.ts'
import { isAppError } from '../../shared/errors.ts'
import type { SessionModel } from '../agent/model/agent-model.ts'
import type { Log } from '../deps.ts'
import type { GateService } from '../gates/gate-service.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import { ReadLedger } from '../tools/edits/read-ledger.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import { LiveSession, type LiveSessionDeps } from './live-session.ts'
import { mergedMemory } from './project-memory.ts'
import type { RunnerEvents } from './runner/runner-deps.ts'
import type { SessionRunner } from './runner/session-runner.ts'
import type { SessionFolderList } from './session-folders.ts'
import { consentContext } from './session-view.ts'

/**
 * The folder in which a session works.
 *
 * Shape: `root` is the real path. `operations` reach the folders that were added, too; `operationsIn` one folder alone,
 * by paths relative to it.
 */
export type SessionFolder = {
  root: string
  operations: ToolOperations
  ledger: ReadLedger
  operationsIn(root: string): ToolOperations
}

/** A session, or a fork of one, and the folder in which its tools work. */
export type SessionPlace = { session: LiveSession; folder: SessionFolder }

/** A session in memory, with its runner, its model and its folder. */
export type OpenSession = SessionPlace & {
  runner: SessionRunner
  model: SessionModel
  /** Windows and calls that need it. */
  holders: number
  linger: { cancel(): void } | undefined
  /** The session's memory as it was last merged into that of the project. */
  memory: AgentMemory
}

/** Time after which a session that is not shown and does nothing leaves the memory. Units: ms. */
const lingerMs = 30_000
/** The list of sessions changes in bursts; windows need the last. Units: ms. */
const listDelayMs = 50
/** Largest file that is read: as large as can be edited. Units: bytes. */
const limitReadBytes = 5_000_000

/**
 * An event of a session in memory. `opened`: it is loaded, and interrupted work has been resumed. `turnEnded`: its turn
 * has ended and no request or call runs. `gateOpened`: the window is about to show a gate.
 */
type SessionHostEvent =
  | { type: 'opened'; open: OpenSession }
  | { type: 'turnEnded'; sessionId: string; how: TurnEnd }
  | { type: 'gateOpened'; sessionId: string }
  | { type: 'closed'; sessionId: string }

export type SessionHostDeps = Omit<LiveSessionDeps, 'onListed'> & {
  log: Pick<Log, 'bug'>
  gates: Pick<GateService, 'setSessionRules' | 'restore'>
  folders: Pick<SessionFolderList, 'restore'>
  /** Opens the folder of a session; `added` returns its added folders as of now. Errors: `work/not-open`. */
  openFolder(workId: string, sessionId: string, added: () => readonly string[]): Omit<SessionFolder, 'ledger'>
  /** Makes the runner of a session and its model. */
  play(place: SessionPlace, events: RunnerEvents): Pick<OpenSession, 'runner' | 'model'>
  /** Facts of a project that outlive its sessions. */
  memory: { get(workId: string): AgentMemory | undefined; set(workId: string, memory: AgentMemory): void }
  /** Finishes an undo that an earlier host began. */
  finishUndo(open: OpenSession): Promise<void>
}

export type SessionHost = ReturnType<typeof createSessionHost>

/** Owns the sessions in memory: opens them when they are needed, and keeps them while anything goes on in them. */
export function createSessionHost(deps: SessionHostDeps) {
  const listeners = new Set<(event: SessionHostEvent) => void>()
  const listed = createBroadcast<string>()
  const waiting = new Set<string>()
  const opening = new Map<string, Promise<OpenSession>>()
  const known = new Map<string, OpenSession>()

  function emit(event: SessionHostEvent): void {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        deps.log.bug(error, `session.${event.type}`)
      }
    }
  }

  function listChanged(workId: string): void {
    if (waiting.has(workId)) return
    waiting.add(workId)
    deps.clock.setTimeout(() => {
      waiting.delete(workId)
      listed.send(workId)
    }, listDelayMs)
  }

  async function open(sessionId: string): Promise<OpenSession> {
    const { workId } = deps.repository.get(sessionId).session
    const session = new LiveSession({ ...deps, onListed: listChanged }, sessionId)
    const added = (): string[] => session.folders.map(({ path }) => path)
    const folder = { ...deps.openFolder(workId, sessionId, added), ledger: new ReadLedger() }
    deps.folders.restore({ session })
    learn(session)
    const rules = ConsentRule.array().safeParse(session.record.rules).data ?? []
    deps.gates.setSessionRules(sessionId, rules)
    const played = deps.play(
      { session, folder },
      {
        turnEnded: (how) => emit({ type: 'turnEnded', sessionId, how }),
        gateOpened: () => emit({ type: 'gateOpened', sessionId }),
      },
    )
    const { memory } = session.state
    const opened: OpenSession = { session, ...played, folder, holders: 0, linger: undefined, memory }
    known.set(sessionId, opened)
    try {
      if (session.isReset)
        session.add({ kind: 'error', failure: null, error: { code: 'session/reset' }, isRetried: false })
      endCommands(session)
      await deps.finishUndo(opened)
      if (isCutOff(session)) await resume(opened)
    } catch (error) {
      // The next attempt loads the session anew: nothing of this one may work on beside it.
      known.delete(sessionId)
      await opened.runner.close()
      session.end()
      throw error
    }
    emit({ type: 'opened', open: opened })
    return opened
  }

  /** Copies into a session what other sessions of the project have been taught and corrected. */
  function learn(session: LiveSession): void {
    const { state } = session
    const known = deps.memory.get(session.workId)
    if (known === undefined) return
    const { learnedPatterns, corrections } = known
    const memory = { ...state.memory, learnedPatterns, corrections }
    if (!isDeepStrictEqual(memory, state.memory)) session.setState({ ...state, memory })
  }

  /** Ends commands that ran in another host: a session that is loaded here has no running ones. */
  function endCommands(session: LiveSession): void {
    for (const { itemId, view } of deps.repository.backgroundCalls(session.sessionId)) {
      if (view?.kind !== 'command') continue
      session.change(itemId, 'call', { view: { ...view, ended: { end: 'stopped', exitCode: null } } })
    }
  }

  /** Resumes a session whose host ended in the middle of its work. */
  async function resume({ session, runner, folder }: OpenSession): Promise<void> {
    for (const path of gatedFiles(session)) await noteAsRead(folder, path)
    await runner.resume((calls) =>
      deps.gates.restore(consentContext(session, folder.root), {
        gates: session.state.gates,
        calls,
        plan: session.state.plan,
        rationale: session.state.turn.rationale,
      }),
    )
  }

  async function acquire(sessionId: string): Promise<OpenSession> {
    let found = opening.get(sessionId)
    if (found === undefined) {
      found = open(sessionId)
      opening.set(sessionId, found)
      found.catch(() => opening.delete(sessionId))
    }
    const opened = await found
    opened.holders += 1
    opened.linger?.cancel()
    opened.linger = undefined
    return opened
  }

  function release(sessionId: string, opened: OpenSession): void {
    opened.holders -= 1
    remember(opened)
    // A session that was closed meanwhile does not linger, though it was still held.
    if (opened.holders === 0 && known.get(sessionId) === opened) lingerOn(sessionId, opened)
  }

  /** Adds what a session has learned to its project's memory, and tells the project's other open sessions at once. */
  function remember(opened: OpenSession): void {
    const { workId } = opened.session
    const others = [...known.values()].filter((one) => one.session.workId === workId)
    for (const one of new Set([opened, ...others])) {
      const { memory } = one.session.state
      deps.memory.set(workId, mergedMemory(deps.memory.get(workId), one.memory, memory))
      one.memory = memory
    }
    for (const one of others) {
      learn(one.session)
      one.memory = one.session.state.memory
    }
  }

  function lingerOn(sessionId: string, opened: OpenSession): void {
    opened.linger = deps.clock.setTimeout(() => {
      if (opened.holders > 0) return
      const { runner, session } = opened
      // Items that a full disk could not take are only in memory: the session must stay there.
      const isAtRest = !runner.isBusy && !session.isWaiting && session.isStored
      const isLeft = isAtRest && session.queue.length === 0
      const isNeeded = !isLeft || deps.repository.backgroundCalls(sessionId).length > 0
      if (isNeeded) lingerOn(sessionId, opened)
      else letGo(sessionId, opened)
    }, lingerMs)
  }

  function letGo(sessionId: string, opened: OpenSession): void {
    opened.linger?.cancel()
    opening.delete(sessionId)
    known.delete(sessionId)
    opened.runner.keepHeld()
    opened.session.end()
    emit({ type: 'closed', sessionId })
  }

  async function close(sessionId: string): Promise<void> {
    const opened = await opening.get(sessionId)?.catch(() => undefined)
    if (opened === undefined) return
    await opened.runner.close()
    letGo(sessionId, opened)
  }

  return {
    /** Calls `listener` with each event until the returned function is called. */
    on(listener: (event: SessionHostEvent) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Emits `turnEnded` for a turn that ran elsewhere and has been adopted by the session. */
    turnEnded: (sessionId: string, how: TurnEnd): void => emit({ type: 'turnEnded', sessionId, how }),
    /** Notes that something has changed that the list of a work's sessions shows. */
    listChanged,
    /** The works whose list has changed; several changes in quick succession are one. */
    listChanges: (signal: AbortSignal): AsyncIterable<string> => listed.subscribe(signal),
    /** Errors: `session/not-found`, `work/not-open`. */
    async use<T>(sessionId: string, work: (open: OpenSession) => Promise<T>): Promise<T> {
      const opened = await acquire(sessionId)
      try {
        return await work(opened)
      } finally {
        release(sessionId, opened)
      }
    },
    /** Pins the session in memory; call the returned function to release it. Errors: as `use`. */
    async hold(sessionId: string): Promise<() => void> {
      const opened = await acquire(sessionId)
      return () => release(sessionId, opened)
    },
    async *watch(
      sessionId: string,
      afterSeq: number | undefined,
      signal: AbortSignal,
    ): AsyncGenerator<SessionEvent, void, void> {
      const opened = await acquire(sessionId)
      try {
        yield* opened.session.watch(afterSeq, signal)
      } finally {
        release(sessionId, opened)
      }
    },
    /** Returns a session that is in memory already. */
    known: (sessionId: string): OpenSession | undefined => known.get(sessionId),
    all: (): OpenSession[] => [...known.values()],
    hasOpenGate: (): boolean => [...known.values()].some(({ session }) => session.state.gates.length > 0),
    close,
    async closeAll(): Promise<void> {
      await Promise.all([...opening.keys()].map(close))
      listed.end()
    },
  }
}

/** True where something was in progress, or a gate was open, when the session was last saved. */
function isCutOff({ state }: LiveSession): boolean {
  return (
    isTurnInProgress(state) || state.gates.length > 0 || state.waiting === 'answer' || state.calls.length > 0
  )
}

/** Returns the files that open gates ask to edit; what a command changed, the model need not have read. */
function gatedFiles(session: LiveSession): string[] {
  return session.openItems().flatMap((item) => {
    if (item.kind !== 'gate' || item.gate.kind === 'effects') return []
    return item.gate.calls.flatMap((call) => call.files.map(({ path }) => path))
  })
}

/** Notes a file as read: the model read it in the host that ended, and the user sees what the file is now first. */
async function noteAsRead({ operations, ledger }: SessionFolder, path: string): Promise<void> {
  try {
    const { path: real, hash } = await operations.read(path, limitReadBytes)
    ledger.note(real, hash, { from: 1, to: 1 })
  } catch (error) {
    if (!isAppError(error)) throw error
  }
}

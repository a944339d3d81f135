import { z } from 'zod'
import type { SessionItem, UndoHow } from '../../shared/domain/session/session-item.ts'
import {
  type TurnFile,
  UndoChoice,
  type UndoPreview,
  type UndoResult,
} from '../../shared/domain/session/undo.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { Side } from '../../shared/text/difference/three-way.ts'
import { type Replacement, replacedWords } from '../../shared/text/difference/word-difference.ts'
import { uncoveredCalls } from '../../shared/text/uncovered-calls.ts'
import { keptRunsKey } from '../checks/turn-checks.ts'
import type { Random } from '../deps.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import type { WorkRepository } from '../store/works/work-repository.ts'
import { redoNote, undoNote } from '../workspace/undo/file-history.ts'
import type { TurnUndo, UndoDecisions, Undone } from '../workspace/undo/turn-undo.ts'
import type { OpenSession } from './session-host.ts'

type UndoWhat = 'files' | 'conversation' | 'both'

type SessionUndoDeps = {
  random: Pick<Random, 'id'>
  repository: SessionRepository
  undo: TurnUndo
  /** Keeps the last undo of a work, and those that are in progress, longer than a host runs. */
  workState: Pick<WorkRepository, 'getState' | 'setState'>
}

const TurnChange = z.object({ turn: z.int(), changeSetId: z.string() })

/** An undo that can be redone. Shape: `changes` are the session's change sets that it took back. */
const LastUndo = z.object({
  sessionId: z.string(),
  turn: z.int(),
  changeSetIds: z.array(z.string()),
  changes: z.array(TurnChange),
})
type LastUndo = z.infer<typeof LastUndo>

/**
 * An undo or a redo from its beginning to its end: a host that ends in its middle leaves it to the next one.
 *
 * Shape: `changeSetIds` are taken back; `changes` are the session's change sets that it is about, by their turns.
 */
const UndoJob = z.object({
  turn: z.int(),
  isRedo: z.boolean(),
  cutsConversation: z.boolean(),
  note: z.string(),
  changeSetIds: z.array(z.string()),
  changes: z.array(TurnChange),
  choices: z.array(UndoChoice),
})
type UndoJob = z.infer<typeof UndoJob>

/** Removes a turn and all after it from the conversation. The files stay. */
export function cutConversation({ session, runner, folder }: OpenSession, turn: number): void {
  if (runner.isBusy || session.isWaiting) runner.stop()
  session.cut(turn)
  folder.ledger.unhear()
  runner.forget()
}

/** Returns the change set of a call, also of a command that ran in a copy; none where no file was changed. */
function changeSetOf(item: SessionItem): string[] {
  if (item.kind !== 'call') return []
  if (item.view?.kind === 'change') return [item.view.changeSetId]
  const id = item.view?.kind === 'command' ? item.view.sandboxed?.changeSetId : undefined
  return id === undefined || id === '' ? [] : [id]
}

export type SessionUndo = ReturnType<typeof createSessionUndo>

/** Undo of turns and its redo, for a session at rest. */
export function createSessionUndo({ random, repository, undo, workState }: SessionUndoDeps) {
  const needLast = ({ session: { workId, sessionId } }: OpenSession): LastUndo => {
    const { data } = LastUndo.safeParse(workState.getState(workId, 'last-undo'))
    if (data?.sessionId !== sessionId) throw new AppError({ code: 'session/no-undo' })
    return data
  }
  const setLast = (workId: string, last: LastUndo | null): void =>
    workState.setState(workId, 'last-undo', last)

  const jobsOf = (workId: string): Record<string, UndoJob> =>
    z.record(z.string(), UndoJob).safeParse(workState.getState(workId, 'undo-jobs')).data ?? {}
  const setJob = (
    { workId, sessionId }: { workId: string; sessionId: string },
    job: UndoJob | null,
  ): void => {
    const { [sessionId]: before, ...others } = jobsOf(workId)
    if (job === null && before === undefined) return
    workState.setState(workId, 'undo-jobs', job === null ? others : { ...others, [sessionId]: job })
  }

  async function carryOut(open: OpenSession, job: UndoJob) {
    const { session, folder } = open
    const { sessionId, workId } = session
    const { turn, isRedo, changes, note } = job
    const decisions = decisionsOf(job.choices)
    const undone = await undo.undo(folder.root, job.changeSetIds, decisions, folder.operationsIn, note)
    const { left, changeSetIds } = undone
    // The stored runs of checks are of other contents than the files have now.
    if (changeSetIds.length > 0) workState.setState(workId, keptRunsKey, {})
    const canRedo = !isRedo && changeSetIds.length > 0
    repository.together(() => {
      if (isRedo) {
        setLast(workId, null)
        const known = new Set(repository.changesSince(sessionId, 1))
        // Turns that were cut from the conversation cannot be undone again.
        for (const change of changes)
          if (change.turn <= session.turn && !known.has(change.changeSetId))
            repository.addChange(sessionId, change.turn, change.changeSetId)
      } else {
        if (canRedo) setLast(workId, { sessionId, turn, changeSetIds, changes })
        if (left.length === 0) repository.forgetChanges(sessionId, turn)
      }
    })
    if (job.cutsConversation) cutConversation(open, turn)
    return { ...undone, canRedo }
  }

  /** Begins an undo or a redo. Where it ends without a result, as with the host, the job is kept to be finished. */
  async function begin(open: OpenSession, request: Omit<UndoJob, 'note'>): Promise<UndoResult> {
    const { turn, isRedo, cutsConversation } = request
    const job = { ...request, note: `${isRedo ? redoNote : undoNote}${random.id()}` }
    setJob(open.session, job)
    try {
      const undone = await carryOut(open, job)
      const { files, kept, left, canRedo } = undone
      const how = howOf(job, undone)
      // A conversation that was cut does not mention the files, except where some stayed: they can be compared there.
      const isThere = !cutsConversation && turn <= open.session.turn
      if (isThere && (files.length > 0 || how.left)) open.runner.noteUndo(turn, files, how)
      else if (how.left) open.session.add({ kind: 'undo', undoneTurn: turn, files, ...how })
      setJob(open.session, null)
      return { kept, left, canRedo }
    } catch (error) {
      if (isAppError(error)) setJob(open.session, null)
      throw error
    }
  }

  return {
    /** Returns what the turn has changed, file by file. */
    async turnFiles({ session, folder }: OpenSession, turn: number): Promise<TurnFile[]> {
      session.flush()
      const items = repository.itemsOfTurn(session.sessionId, turn)
      return undo.files(folder.root, items.flatMap(changeSetOf))
    },
    /** Returns the words of the last turn's texts that the user has replaced since, each pair once. */
    async replacedWords({ session, folder }: OpenSession): Promise<Replacement[]> {
      if (session.turn === 0) return []
      session.flush()
      const items = repository.itemsOfTurn(session.sessionId, session.turn)
      const files = await undo.changedSince(folder.root, items.flatMap(changeSetOf))
      const found = files.flatMap(({ before, written, now }) => replacedWords(before, written, now))
      return [...new Map(found.map((pair) => [JSON.stringify(pair), pair])).values()]
    },
    /** Returns a file that this item of the conversation names as left alone. Errors: as `TurnUndo.leftFile`. */
    async leftFile({ session, folder }: OpenSession, itemId: string, path: string) {
      session.flush()
      const item = repository.allItems(session.sessionId).find((one) => one.itemId === itemId)
      if (item?.kind === 'undo' && item.left?.includes(path))
        return undo.leftOfUndo(folder.root, item.leftOf ?? [], path)
      if (item?.kind === 'notice' && item.notice.kind === 'left-alone' && item.notice.paths.includes(path))
        return undo.leftFile(item.notice.changeSetId, path)
      throw new AppError({ code: 'file/not-found', path })
    },
    async preview({ session, folder }: OpenSession, turn: number): Promise<UndoPreview> {
      session.flush()
      const commands: string[] = []
      for (let at = turn; at <= session.turn; at += 1)
        commands.push(...uncoveredCalls(repository.itemsOfTurn(session.sessionId, at)))
      return {
        turn,
        messages: session.turn - turn + 1,
        files: await undo.preview(folder.root, repository.changesSince(session.sessionId, turn)),
        commands: [...new Set(commands)],
      }
    },
    async undo(
      open: OpenSession,
      { turn, what, choices }: { turn: number; what: UndoWhat; choices: readonly UndoChoice[] },
    ): Promise<UndoResult> {
      const { session } = open
      if (what === 'conversation') {
        cutConversation(open, turn)
        return { kept: [], left: [], canRedo: false }
      }
      session.flush()
      const changes = repository.turnChangesSince(session.sessionId, turn)
      const changeSetIds = changes.map(({ changeSetId }) => changeSetId)
      const rest = { cutsConversation: what === 'both', choices: [...choices] }
      return begin(open, { turn, isRedo: false, changeSetIds, changes, ...rest })
    },
    /** Errors: `session/no-undo`. */
    async redoPreview(open: OpenSession): Promise<UndoPreview> {
      const { turn, changeSetIds } = needLast(open)
      const files = await undo.preview(open.folder.root, changeSetIds)
      return { turn, messages: 0, files, commands: [] }
    },
    async redo(open: OpenSession, choices: readonly UndoChoice[]): Promise<UndoResult> {
      const { turn, changeSetIds, changes } = needLast(open)
      const rest = { cutsConversation: false, choices: [...choices] }
      return begin(open, { turn, isRedo: true, changeSetIds, changes, ...rest })
    },
    /** Returns the sessions of a work with an undo that an earlier host began. */
    unfinished: (workId: string): string[] => Object.keys(jobsOf(workId)),
    /** Carries out what an earlier host began, and says so in the conversation. */
    async finish(open: OpenSession): Promise<void> {
      const { session, runner } = open
      const job = jobsOf(session.workId)[session.sessionId]
      if (job === undefined) return
      const { turn, cutsConversation } = job
      try {
        const undone = await carryOut(open, job)
        const { files } = undone
        const how = { isResumed: true, ...howOf(job, undone) }
        if (cutsConversation) session.add({ kind: 'undo', undoneTurn: turn, files, ...how })
        else runner.noteUndo(turn, files, how)
      } catch (error) {
        if (!isAppError(error)) throw error
        session.add({ kind: 'error', failure: null, error: error.info, isRetried: false })
      }
      setJob(session, null)
    },
    /** Drops the unfinished undo of a session that was removed. */
    forget: (session: { workId: string; sessionId: string }): void => setJob(session, null),
  }
}

/** Returns what a conversation says of an undo in addition to the files that it changed. */
function howOf({ isRedo, changeSetIds }: UndoJob, { files, kept, left }: Undone): UndoHow {
  const rest = [...left, ...kept.filter((path) => !files.includes(path))]
  return {
    ...(isRedo ? { isRedo } : {}),
    ...(rest.length === 0 ? {} : { left: rest, leftOf: changeSetIds }),
  }
}

const sideOf = { current: 'current', former: 'speculated', both: 'both' } as const

function decisionsOf(choices: readonly UndoChoice[]): UndoDecisions {
  return new Map(
    choices.map(({ path, hash, places }) => [
      path,
      { hash, sides: new Map(places.map(({ index, side }): [number, Side] => [index, sideOf[side]])) },
    ]),
  )
}

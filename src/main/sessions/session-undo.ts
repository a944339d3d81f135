import { z } from 'zod'
import type { UndoChoice, UndoPreview, UndoResult } from '../../shared/domain/undo.ts'
import { AppError } from '../../shared/errors.ts'
import type { Side } from '../../shared/text/three-way.ts'
import { uncoveredCommands } from '../../shared/text/uncovered-commands.ts'
import type { SessionRepository } from '../store/session-repository.ts'
import type { TurnUndo, UndoDecisions } from '../workspace/undo/turn-undo.ts'
import type { OpenSession } from './open-sessions.ts'

export type UndoWhat = 'files' | 'conversation' | 'both'

export type SessionUndoDeps = {
  repository: SessionRepository
  undo: TurnUndo
  /** The last undo in a work, which outlives a host. */
  lastUndo: { get(workId: string): unknown; set(workId: string, undo: LastUndo | null): void }
}

/** An undo that can be taken back. Shape: `changes` are the session's change sets that it took back. */
export const LastUndo = z.object({
  sessionId: z.string(),
  turn: z.int(),
  changeSetIds: z.array(z.string()),
  changes: z.array(z.object({ turn: z.int(), changeSetId: z.string() })),
})
export type LastUndo = z.infer<typeof LastUndo>

/** Undo of turns and its redo, for a session at rest. */
export type SessionUndo = {
  preview(open: OpenSession, turn: number): Promise<UndoPreview>
  /** Files only: the caller cuts the conversation. */
  undo(
    open: OpenSession,
    request: { turn: number; what: UndoWhat; choices: readonly UndoChoice[] },
  ): Promise<UndoResult>
  /** Errors: `session/no-undo`. */
  redoPreview(open: OpenSession): Promise<UndoPreview>
  redo(open: OpenSession, choices: readonly UndoChoice[]): Promise<UndoResult>
}

export function createSessionUndo({ repository, undo, lastUndo }: SessionUndoDeps): SessionUndo {
  const needLast = ({ session: { workId, sessionId } }: OpenSession): LastUndo => {
    const { data } = LastUndo.safeParse(lastUndo.get(workId))
    if (data?.sessionId !== sessionId) throw new AppError({ code: 'session/no-undo' })
    return data
  }

  return {
    async preview({ session, folder }, turn) {
      session.flush()
      const commands: string[] = []
      for (let at = turn; at <= session.turn; at += 1)
        commands.push(...uncoveredCommands(repository.itemsOfTurn(session.sessionId, at)))
      return {
        turn,
        messages: session.turn - turn + 1,
        files: await undo.preview(folder.root, repository.changesSince(session.sessionId, turn)),
        commands: [...new Set(commands)],
      }
    },
    async undo({ session, folder, runner }, { turn, what, choices }) {
      const nothing: UndoResult = { kept: [], left: [], canRedo: false }
      if (what === 'conversation') return nothing
      const { sessionId, workId } = session
      session.flush()
      const changes = repository.turnChangesSince(sessionId, turn)
      const ids = changes.map(({ changeSetId }) => changeSetId)
      const undone = await undo.undo(folder.root, ids, decisionsOf(choices), folder.operationsIn)
      const { files, kept, left, changeSetIds } = undone
      const canRedo = changeSetIds.length > 0
      repository.together(() => {
        if (canRedo) lastUndo.set(workId, { sessionId, turn, changeSetIds, changes })
        if (left.length === 0) repository.forgetChanges(sessionId, turn)
      })
      if (what === 'files' && files.length > 0) runner.noteUndo(turn, files)
      return { kept, left, canRedo }
    },
    async redoPreview(open) {
      const { turn, changeSetIds } = needLast(open)
      const files = await undo.preview(open.folder.root, changeSetIds)
      return { turn, messages: 0, files, commands: [] }
    },
    async redo(open, choices) {
      const { session, folder, runner } = open
      const { sessionId, workId } = session
      const { turn, changeSetIds, changes } = needLast(open)
      const decisions = decisionsOf(choices)
      const redone = await undo.undo(folder.root, changeSetIds, decisions, folder.operationsIn, 'redo')
      const { files, kept, left } = redone
      repository.together(() => {
        lastUndo.set(workId, null)
        const known = new Set(repository.changesSince(sessionId, 1))
        // Turns that left the conversation cannot be taken back again.
        for (const change of changes)
          if (change.turn <= session.turn && !known.has(change.changeSetId))
            repository.addChange(sessionId, change.turn, change.changeSetId)
      })
      if (files.length > 0 && turn <= session.turn) runner.noteUndo(turn, files, { isRedo: true })
      return { kept, left, canRedo: false }
    },
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

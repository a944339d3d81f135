import type { Clock, Random } from '../deps.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import type { AppliedChangeSet } from '../workspace/apply-change-set.ts'

/**
 * Notes in their sessions which files a restarted host left alone when it carried out the change sets that the last
 * host had committed: they had been changed in between. Run it before a session is opened.
 */
export function noteLeftFiles(
  { clock, random, repository }: { clock: Clock; random: Random; repository: SessionRepository },
  carriedOut: readonly AppliedChangeSet[],
): void {
  for (const { id, conflicts } of carriedOut) {
    const sessionId = conflicts.length === 0 ? null : repository.sessionOfChange(id)
    if (sessionId === null) continue
    repository.together(() => {
      const record = repository.get(sessionId)
      const seq = record.lastSeq + 1
      const place = { itemId: random.id(), seq, turn: record.turn, at: clock.now() }
      const notice = { kind: 'left-alone', changeSetId: id, paths: conflicts } as const
      repository.saveItem(sessionId, { ...place, kind: 'notice', notice })
      repository.save({ ...record, lastSeq: seq })
    })
  }
}

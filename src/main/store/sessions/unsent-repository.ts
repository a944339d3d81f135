import { z } from 'zod'
import {
  MessageSegment,
  type UnsentMessage,
  type UnsentPlace,
} from '../../../shared/domain/session/message-segment.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/** Messages that were written and not sent yet, one for each place of a folder. They are removed with their session. */
export type UnsentRepository = ReturnType<typeof createUnsentRepository>

type PlaceRow = { workId: string; sessionId: string | null; about: string }
const Row = z.object({
  sessionId: z.string().nullable(),
  about: z.string(),
  segments: jsonOf(z.array(MessageSegment)),
})

export function createUnsentRepository(db: Db, read = createRowReaders()) {
  const rows = read('unsent_messages', Row)
  const select = db.prepare<[string]>(
    `SELECT rowid, session_id AS sessionId, about, segments
     FROM unsent_messages WHERE work_id = ? ORDER BY at, rowid`,
  )
  const upsert = db.prepare(
    `INSERT INTO unsent_messages (work_id, session_id, about, segments, at)
     SELECT :workId, :sessionId, :about, :segments, :at WHERE EXISTS (SELECT 1 FROM works WHERE id = :workId)
       AND (:sessionId IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE id = :sessionId AND work_id = :workId))
     ON CONFLICT (work_id, COALESCE(session_id, ''), about)
     DO UPDATE SET segments = excluded.segments, at = excluded.at`,
  )
  const remove = db.prepare(
    'DELETE FROM unsent_messages WHERE work_id = :workId AND session_id IS :sessionId AND about = :about',
  )
  const takeSent = db.prepare<[{ sessionId: string; segments: string }], PlaceRow>(
    `DELETE FROM unsent_messages
     WHERE work_id = (SELECT work_id FROM sessions WHERE id = :sessionId)
       AND (session_id = :sessionId OR session_id IS NULL) AND segments = :segments
     RETURNING work_id AS workId, session_id AS sessionId, about`,
  )
  return {
    list: (workId: string): UnsentMessage[] =>
      rows.all(select.all(workId)).map(({ segments, ...place }) => ({ ...placeOf(place), segments })),
    /** Stores a message, replacing that of its place. Returns false where its folder or session is gone. */
    keep: (workId: string, { sessionId, about, segments }: UnsentMessage, at: number): boolean =>
      upsert.run({ workId, sessionId, about: about ?? '', segments: JSON.stringify(segments), at }).changes >
      0,
    discard: (workId: string, { sessionId, about }: UnsentPlace): void =>
      void remove.run({ workId, sessionId, about: about ?? '' }),
    /** Removes messages with exactly these segments, of the session or from before it existed; returns their places. */
    takeSent: (
      sessionId: string,
      segments: readonly MessageSegment[],
    ): { workId: string; place: UnsentPlace }[] =>
      takeSent
        .all({ sessionId, segments: JSON.stringify(segments) })
        .map((row) => ({ workId: row.workId, place: placeOf(row) })),
  }
}

function placeOf({ sessionId, about }: Omit<PlaceRow, 'workId'>): UnsentPlace {
  return { sessionId, about: about === '' ? null : about }
}

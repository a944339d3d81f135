import { z } from 'zod'
import {
  noSessionStats,
  QueuedMessage,
  Session,
  type SessionHit,
  SessionStats,
} from '../../../shared/domain/session/session.ts'
import { type CallItem, SessionItem } from '../../../shared/domain/session/session-item.ts'
import { AppError } from '../../../shared/errors.ts'
import { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'
import { excerptOf, itemText, searchKey } from './session-words.ts'

/**
 * A session as it is stored beside its items.
 *
 * Shape: `state` and `rules` are JSON of their owners. `epoch` counts the compactions, `lastSeq` the
 * items. `isTitled` where the user named it. `queue`: messages that wait for their turn. `folders`: real paths of
 * those that the user added.
 */
export type SessionRecord = {
  session: Session
  isTitled: boolean
  language: 'ja' | 'en'
  turn: number
  epoch: number
  lastSeq: number
  state: unknown
  rules: unknown
  stats: SessionStats
  queue: QueuedMessage[]
  folders: string[]
}

/** The beginning of a turn: the state, and the length of the prompt. */
export type TurnStart = { turn: number; epoch: number; entries: number; state: unknown }

/** A change set and the turn that made it. */
type TurnChange = { turn: number; changeSetId: string }

const namedImage = /"imageId":"([0-9a-f]{64})"/g

/** Conversations. Errors: `session/not-found`. */
export type SessionRepository = ReturnType<typeof createSessionRepository>

type Row = ReturnType<typeof columnsOf>

/** Returns the schema of a column that is read as `value` where it is damaged and the rest of its row is whole. */
const orElse = <T extends z.ZodType>(schema: T, value: z.output<T>) => jsonOf(schema).catch(value)
const SessionRow = z.object({
  session: Session,
  is_titled: z.number(),
  language: z.string(),
  turn: z.number(),
  epoch: z.number(),
  last_seq: z.number(),
  state: jsonOf(z.unknown()),
  rules: jsonOf(z.array(z.unknown())),
  stats: orElse(SessionStats, noSessionStats),
  queue: orElse(z.array(QueuedMessage), []),
  folders: orElse(z.array(z.string()), []),
})
const ItemRow = z.object({ value: jsonOf(SessionItem) })
/** Largest position of an entry: larger ones are damaged. */
const limitEntries = 1_000_000
const EntryRow = z.object({ position: z.int().min(0).max(limitEntries), value: jsonOf(PromptEntry) })
const TurnRow = z.object({ epoch: z.number(), entries: z.number(), state: orElse(z.unknown(), null) })
const FoundRow = ItemRow.extend({
  session_id: z.string(),
  work_id: z.string(),
  root: z.string(),
  name: z.string(),
  title: z.string(),
})

/** Replaces an entry that cannot be read: later ones keep their places, and nothing of it is sent. */
const unreadEntry: PromptEntry = { turn: 0, role: 'system', kind: 'base', text: '' }

export function createSessionRepository(db: Db, read = createRowReaders()) {
  const sessionRows = read('sessions', SessionRow)
  const itemRows = read('session_items', ItemRow)
  const foundRows = read('session_items', FoundRow)
  const entryRows = read('session_entries', EntryRow)
  const turnRows = read('session_turns', TurnRow)
  const itemsOf = (rows: Iterable<unknown>): SessionItem[] => itemRows.all(rows).map(({ value }) => value)
  const insert = db.prepare(
    `INSERT INTO sessions (id, work_id, title, is_titled, language, created_at, updated_at, branched_from,
       turn, epoch, last_seq, state, rules, stats, queue, folders)
     VALUES (@id, @work_id, @title, @is_titled, @language, @created_at, @updated_at, @branched_from,
       @turn, @epoch, @last_seq, @state, @rules, @stats, @queue, @folders)`,
  )
  const update = db.prepare(
    `UPDATE sessions SET title = @title, is_titled = @is_titled, updated_at = @updated_at, turn = @turn,
       epoch = @epoch, last_seq = @last_seq, state = @state, rules = @rules, stats = @stats,
       queue = @queue, folders = @folders WHERE id = @id`,
  )
  const select = db.prepare<[string], Row>('SELECT * FROM sessions WHERE id = ?')
  const byWork = db.prepare<[string], Row>(
    'SELECT * FROM sessions WHERE work_id = ? ORDER BY updated_at DESC, created_at DESC',
  )
  const remove = db.prepare('DELETE FROM sessions WHERE id = ?')
  const found = db.prepare<unknown[]>(
    `SELECT item_id, session_id, work_id, root, name, title, session_items.value FROM session_items
       JOIN sessions ON sessions.id = session_id JOIN works ON works.id = work_id
     WHERE NOT EXISTS (SELECT 1 FROM json_each(?) AS word WHERE instr(words, word.value) = 0)
       AND (is_listed = 1 OR work_id = ?)
     ORDER BY work_id = ? DESC, updated_at DESC, seq DESC LIMIT ?`,
  )
  const upsertItem = db.prepare(
    `INSERT INTO session_items (session_id, item_id, seq, turn, kind, value, words) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (session_id, item_id) DO UPDATE SET value = excluded.value, words = excluded.words`,
  )
  const selectItem = db.prepare<[string, string]>(
    'SELECT item_id, value FROM session_items WHERE session_id = ? AND item_id = ?',
  )
  const pageOfItems = db.prepare<[string, number]>(
    'SELECT item_id, value FROM session_items WHERE session_id = ? AND seq < ? ORDER BY seq DESC',
  )
  const everyItem = db.prepare<[string]>(
    'SELECT item_id, value FROM session_items WHERE session_id = ? ORDER BY seq',
  )
  const itemsInTurn = db.prepare<[string, number]>(
    'SELECT item_id, value FROM session_items WHERE session_id = ? AND turn = ? ORDER BY seq',
  )
  const unended = db.prepare<[string]>(
    `SELECT item_id, value FROM session_items WHERE session_id = ? AND CASE WHEN json_valid(value) THEN
       (kind = 'answer' AND value ->> '$.state' = 'writing')
       OR (kind = 'call' AND value ->> '$.state' IN ('waiting', 'asked', 'running'))
       OR (kind = 'gate' AND value ->> '$.state' = 'open')
       OR (kind = 'question' AND value ->> '$.isOpen') END ORDER BY seq`,
  )
  const background = db.prepare<[string]>(
    `SELECT item_id, value FROM session_items WHERE session_id = ? AND kind = 'call' AND CASE WHEN json_valid(value)
       THEN value ->> '$.view.end' = 'background' AND value ->> '$.view.ended' IS NULL END ORDER BY seq`,
  )
  // Items of other kinds are skipped unread.
  const about = db.prepare<{ sessionId: string; kind: string; id: string; ids: string }>(
    `SELECT item_id, value FROM session_items WHERE session_id = @sessionId AND kind = @kind
       AND CASE WHEN json_valid(value) THEN value ->> @id END IN (SELECT value FROM json_each(@ids)) ORDER BY seq`,
  )
  const selectEntries = db.prepare<[string, number]>(
    'SELECT position, value FROM session_entries WHERE session_id = ? AND epoch = ? ORDER BY position',
  )
  const insertEntry = db.prepare(
    'INSERT INTO session_entries (session_id, epoch, position, value) VALUES (?, ?, ?, ?)',
  )
  const insertTurn = db.prepare(
    'INSERT OR REPLACE INTO session_turns (session_id, turn, epoch, entries, state) VALUES (?, ?, ?, ?, ?)',
  )
  const selectTurn = db.prepare<[string, number]>(
    'SELECT turn, epoch, entries, state FROM session_turns WHERE session_id = ? AND turn = ?',
  )
  const insertChange = db.prepare(
    'INSERT INTO session_changes (session_id, turn, change_set_id) VALUES (?, ?, ?)',
  )
  const changes = db.prepare<[string, number], TurnChange>(
    'SELECT turn, change_set_id AS changeSetId FROM session_changes WHERE session_id = ? AND turn >= ? ORDER BY seq',
  )
  const ofChange = db.prepare<[string], { id: string }>(
    'SELECT session_id AS id FROM session_changes WHERE change_set_id = ?',
  )
  const dropChange = db.prepare('DELETE FROM session_changes WHERE change_set_id = ?')
  const dropChanges = db.prepare('DELETE FROM session_changes WHERE session_id = ? AND turn >= ?')
  const cuts = [
    'DELETE FROM session_items WHERE session_id = @id AND turn >= @turn',
    'DELETE FROM session_turns WHERE session_id = @id AND turn >= @turn',
    'DELETE FROM session_entries WHERE session_id = @id AND epoch = @epoch AND position >= @entries',
    'DELETE FROM session_entries WHERE session_id = @id AND epoch > @epoch',
  ].map((sql) => db.prepare(sql))
  const copies = [
    `INSERT INTO session_items SELECT @to, item_id, seq, turn, kind, value, words FROM session_items
     WHERE session_id = @from AND turn <= @turn`,
    `INSERT INTO session_turns SELECT @to, turn, epoch, entries, state FROM session_turns
     WHERE session_id = @from AND turn <= @turn`,
    `INSERT INTO session_entries SELECT @to, epoch, position, value FROM session_entries
     WHERE session_id = @from AND (epoch < @epoch OR (epoch = @epoch AND position < @entries))`,
  ].map((sql) => db.prepare(sql))

  const together = <T>(work: () => T): T => db.transaction(work)()
  const recordsOf = (rows: readonly Row[]): SessionRecord[] =>
    sessionRows.all(rows.map(withSession)).map(({ is_titled, last_seq, language, ...record }) => ({
      ...record,
      isTitled: is_titled === 1,
      language: language === 'en' ? 'en' : 'ja',
      lastSeq: last_seq,
    }))
  const imageTexts = db.prepare<[], { text: string }>(
    `SELECT CAST(value AS TEXT) AS text FROM session_items WHERE value LIKE '%"imageId":"%'
     UNION ALL SELECT CAST(value AS TEXT) FROM session_entries WHERE value LIKE '%"imageId":"%'
     UNION ALL SELECT CAST(queue AS TEXT) FROM sessions WHERE queue LIKE '%"imageId":"%'
     UNION ALL SELECT CAST(segments AS TEXT) FROM unsent_messages WHERE segments LIKE '%"imageId":"%'`,
  )
  return {
    add: (record: SessionRecord): void => void insert.run(columnsOf(record)),
    /** Stores a session; does nothing where it was removed meanwhile. */
    save: (record: SessionRecord): void => void update.run(columnsOf(record)),
    get(sessionId: string): SessionRecord {
      const [record] = recordsOf(select.all(sessionId))
      if (record === undefined) throw new AppError({ code: 'session/not-found', sessionId })
      return record
    },
    remove(sessionId: string): void {
      if (remove.run(sessionId).changes === 0) throw new AppError({ code: 'session/not-found', sessionId })
    },
    /** Newest first. */
    list: (workId: string): SessionRecord[] => recordsOf(byWork.all(workId)),
    saveItem(sessionId: string, item: SessionItem): void {
      const { itemId, seq, turn, kind } = item
      upsertItem.run(sessionId, itemId, seq, turn, kind, JSON.stringify(item), searchKey(itemText(item)))
    },
    /**
     * Returns items with every word of the query, newest first, those of `workId` before all others; without regard to
     * width and case. Folders that were taken off the list are not searched, except `workId`.
     */
    search({ query, workId = '', limit }: { query: string; workId?: string | undefined; limit: number }) {
      // One character may be many words in its normal form.
      const words = [...new Set(searchKey(query).split(' '))].filter((word) => word !== '')
      if (words.length === 0) return []
      return foundRows.all(found.all(JSON.stringify(words), workId, workId, limit)).map(
        ({ value: item, ...row }): SessionHit => ({
          sessionId: row.session_id,
          workId: row.work_id,
          root: row.root,
          workName: row.name,
          title: row.title,
          itemId: item.itemId,
          turn: item.turn,
          at: item.at,
          excerpt: excerptOf(itemText(item), words),
        }),
      )
    },
    getItem: (sessionId: string, itemId: string): SessionItem | undefined =>
      itemsOf(selectItem.all(sessionId, itemId))[0],
    /** Oldest first; `before` is a `seq`. An item of an unknown kind is left out. */
    items(sessionId: string, { before, limit }: { before?: number; limit: number }) {
      const rows = pageOfItems.iterate(sessionId, before ?? Number.MAX_SAFE_INTEGER)
      const { found, hasMore } = itemRows.page(rows, limit)
      return { items: found.map(({ value }) => value).reverse(), hasMore }
    },
    /** All of them, oldest first. */
    allItems: (sessionId: string): SessionItem[] => itemsOf(everyItem.all(sessionId)),
    itemsOfTurn: (sessionId: string, turn: number): SessionItem[] =>
      itemsOf(itemsInTurn.all(sessionId, turn)),
    /** Returns open items, however far back, oldest first: answers being written, calls, gates, questions. */
    openItems: (sessionId: string): SessionItem[] => itemsOf(unended.all(sessionId)),
    /** Returns calls whose command is in the background and has no known end, oldest first. */
    backgroundCalls: (sessionId: string): CallItem[] =>
      itemsOf(background.all(sessionId)).filter((item): item is CallItem => item.kind === 'call'),
    /** Returns the calls, questions or gates with these ids, oldest first. Shape: a question has its call's id. */
    itemsAbout(sessionId: string, kind: 'call' | 'question' | 'gate', ids: readonly string[]): SessionItem[] {
      const id = kind === 'gate' ? '$.gate.gateId' : '$.callId'
      return itemsOf(about.all({ sessionId, kind, id, ids: JSON.stringify(ids) }))
    },
    /** Returns the prompt of an epoch, in order. */
    entries(sessionId: string, epoch: number): PromptEntry[] {
      const entries: PromptEntry[] = []
      for (const { position, value } of entryRows.all(selectEntries.all(sessionId, epoch))) {
        while (entries.length < position) entries.push(unreadEntry)
        entries.push(value)
      }
      return entries
    },
    appendEntries(sessionId: string, epoch: number, position: number, entries: readonly PromptEntry[]): void {
      together(() => {
        for (const [index, entry] of entries.entries())
          insertEntry.run(sessionId, epoch, position + index, JSON.stringify(entry))
      })
    },
    startTurn: (sessionId: string, { turn, epoch, entries, state }: TurnStart): void =>
      void insertTurn.run(sessionId, turn, epoch, entries, JSON.stringify(state)),
    turnStart(sessionId: string, turn: number): TurnStart | undefined {
      const [row] = turnRows.all(selectTurn.all(sessionId, turn))
      return row === undefined ? undefined : { turn, ...row }
    },
    addChange: (sessionId: string, turn: number, changeSetId: string): void =>
      void insertChange.run(sessionId, turn, changeSetId),
    removeChange: (changeSetId: string): void => void dropChange.run(changeSetId),
    /** Returns the session of a change set; null for one of no session. */
    sessionOfChange: (changeSetId: string): string | null => ofChange.get(changeSetId)?.id ?? null,
    /** Change sets of `turn` and later ones, oldest first. */
    changesSince: (sessionId: string, turn: number): string[] =>
      changes.all(sessionId, turn).map(({ changeSetId }) => changeSetId),
    /** The same with their turns. */
    turnChangesSince: (sessionId: string, turn: number): TurnChange[] => changes.all(sessionId, turn),
    forgetChanges: (sessionId: string, turn: number): void => void dropChanges.run(sessionId, turn),
    /** Removes items, turns and prompt from `turn` on. */
    cut: (sessionId: string, { turn, epoch, entries }: TurnStart): void =>
      together(() => {
        for (const statement of cuts) statement.run({ id: sessionId, turn, epoch, entries })
      }),
    /** Copies everything up to and including `turn` into a session that was added before. */
    copy: (
      from: string,
      to: string,
      turn: number,
      { epoch, entries }: Pick<TurnStart, 'epoch' | 'entries'>,
    ): void =>
      together(() => {
        for (const statement of copies) statement.run({ from, to, turn, epoch, entries })
      }),
    /** Returns the ids of images that sessions, their prompts and queues, and unsent messages name. */
    imagesInUse(): ReadonlySet<string> {
      const ids = new Set<string>()
      for (const { text } of imageTexts.iterate())
        for (const [, imageId = ''] of text.matchAll(namedImage)) ids.add(imageId)
      return ids
    },
    /** Runs `work` as one transaction. */
    together,
  }
}

function columnsOf({ session, ...record }: SessionRecord) {
  return {
    id: session.sessionId,
    work_id: session.workId,
    title: session.title,
    is_titled: Number(record.isTitled),
    language: record.language,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    branched_from: session.branchedFrom,
    turn: record.turn,
    epoch: record.epoch,
    last_seq: record.lastSeq,
    state: JSON.stringify(record.state),
    rules: JSON.stringify(record.rules),
    stats: JSON.stringify(record.stats),
    queue: JSON.stringify(record.queue),
    folders: JSON.stringify(record.folders),
  }
}

/** Returns the row with its session as windows get it. Shape: the id stays first, since it names the row. */
function withSession(row: Row) {
  return {
    ...row,
    session: {
      sessionId: row.id,
      workId: row.work_id,
      title: row.title,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      messages: row.turn,
      branchedFrom: row.branched_from,
    },
  }
}

import { z } from 'zod'
import { SpeculationEvent, type SpeculationSummary } from '../../shared/domain/session/speculation.ts'
import type { Db } from './database.ts'
import { createRowReaders, jsonOf } from './stored-rows.ts'

/** Outcomes of speculations. Units: `before` and `after` are positions that `list` returned. */
export type SpeculationRepository = {
  add(event: SpeculationEvent): void
  /** Changes an event; does nothing where it is gone. */
  change(speculationId: string, change: Partial<SpeculationEvent>): void
  /** Marks runs that an earlier host left undecided as aborted: their files are gone. */
  interruptLeftovers(): void
  /** Newest first. */
  list(query: { before?: number | undefined; limit: number }): {
    events: (SpeculationEvent & { seq: number })[]
    hasMore: boolean
  }
  /** Returns the last finished runs after a position that were accepted, rejected or aborted, newest first. */
  judged(after: number, limit: number): SpeculationEvent[]
  /** Returns the newest position; 0 where there is none. */
  last(): number
  summary(): SpeculationSummary
  erase(): void
}

const Row = z.object({ seq: z.number(), value: jsonOf(SpeculationEvent) })

/** Most events that are kept: enough to judge by. */
const limitEvents = 10_000

export function createSpeculationRepository(db: Db, read = createRowReaders()): SpeculationRepository {
  const rows = read('speculations', Row)
  const insert = db.prepare('INSERT INTO speculations (id, value) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM speculations WHERE seq <= ?')
  const one = db.prepare<[string]>('SELECT seq, value FROM speculations WHERE id = ?')
  const update = db.prepare('UPDATE speculations SET value = ? WHERE id = ?')
  const page = db.prepare<[number]>('SELECT seq, value FROM speculations WHERE seq < ? ORDER BY seq DESC')
  const decided = db.prepare<[number]>(
    `SELECT seq, value FROM speculations WHERE seq > ? AND CASE WHEN json_valid(value) THEN value ->> '$.isFinished'
       AND value ->> '$.outcome' IN ('accepted', 'rejected', 'aborted') END ORDER BY seq DESC`,
  )
  const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM speculations')
  const all = db.prepare('SELECT seq, value FROM speculations')
  const erase = db.prepare('DELETE FROM speculations')
  const interrupt = db.prepare(
    `UPDATE speculations SET value = json_set(value, '$.outcome', 'aborted', '$.reason', 'interrupted')
     WHERE CASE WHEN json_valid(value) THEN value ->> '$.outcome' IN ('running', 'completed', 'boundary') END`,
  )
  return {
    add(event) {
      const { lastInsertRowid } = insert.run(event.speculationId, JSON.stringify(event))
      prune.run(Number(lastInsertRowid) - limitEvents)
    },
    change(speculationId, change) {
      const row = one.get(speculationId)
      const event = row === undefined ? undefined : rows.one(row)?.value
      if (event !== undefined) update.run(JSON.stringify({ ...event, ...change }), speculationId)
    },
    interruptLeftovers: () => void interrupt.run(),
    list({ before = Number.MAX_SAFE_INTEGER, limit }) {
      const { found, hasMore } = rows.page(page.iterate(before), limit)
      return { events: found.map(({ seq, value }) => ({ ...value, seq })), hasMore }
    },
    judged: (after, limit) => rows.all(decided.iterate(after), limit).map(({ value }) => value),
    last: () => newest.get()?.seq ?? 0,
    summary: () => summed(rows.all(all.iterate()).map(({ value }) => value)),
    erase: () => void erase.run(),
  }
}

function summed(events: readonly SpeculationEvent[]): SpeculationSummary {
  const sum = (of: (event: SpeculationEvent) => number) =>
    events.reduce((total, event) => total + of(event), 0)
  const outcomes: Record<string, number> = {}
  const boundaries: Record<string, number> = {}
  for (const { outcome, boundary } of events) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    if (boundary !== null) boundaries[boundary] = (boundaries[boundary] ?? 0) + 1
  }
  return {
    started: events.length,
    finished: events.filter(({ isFinished }) => isFinished).length,
    accepted: outcomes.accepted ?? 0,
    outcomes,
    boundaries,
    promptTokens: sum((event) => event.promptTokens),
    reusedTokens: sum((event) => event.reusedTokens),
    completionTokens: sum((event) => event.completionTokens),
  }
}

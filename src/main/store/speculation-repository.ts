import { SpeculationEvent, type SpeculationSummary } from '../../shared/domain/session/speculation.ts'
import type { Db } from './database.ts'

/** What became of runs ahead. Units: `before` and `after` are positions that `list` returned. */
export type SpeculationRepository = {
  add(event: SpeculationEvent): void
  /** Nothing happens where it is gone. */
  change(speculationId: string, change: Partial<SpeculationEvent>): void
  /** Newest first. */
  list(query: { before?: number | undefined; limit: number }): {
    events: (SpeculationEvent & { seq: number })[]
    hasMore: boolean
  }
  /** The last finished runs after a position that somebody or something has decided on, newest first. */
  judged(after: number, limit: number): SpeculationEvent[]
  /** The newest position; 0 where there is none. */
  last(): number
  summary(): SpeculationSummary
  erase(): void
}

type Row = { seq: number; value: string }

/** Kept at the most: enough to judge by. */
const limitEvents = 10_000

export function createSpeculationRepository(db: Db): SpeculationRepository {
  const insert = db.prepare('INSERT INTO speculations (id, value) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM speculations WHERE seq <= ?')
  const one = db.prepare<[string], Row>('SELECT seq, value FROM speculations WHERE id = ?')
  const update = db.prepare('UPDATE speculations SET value = ? WHERE id = ?')
  const page = db.prepare<[number, number], Row>(
    'SELECT seq, value FROM speculations WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  )
  const decided = db.prepare<[number, number], Row>(
    `SELECT seq, value FROM speculations WHERE seq > ? AND value ->> '$.isFinished'
       AND value ->> '$.outcome' IN ('accepted', 'rejected', 'aborted') ORDER BY seq DESC LIMIT ?`,
  )
  const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM speculations')
  const all = db.prepare<[], Row>('SELECT seq, value FROM speculations')
  const erase = db.prepare('DELETE FROM speculations')
  return {
    add(event) {
      const { lastInsertRowid } = insert.run(event.speculationId, JSON.stringify(event))
      prune.run(Number(lastInsertRowid) - limitEvents)
    },
    change(speculationId, change) {
      const row = one.get(speculationId)
      if (row !== undefined) update.run(JSON.stringify({ ...eventOf(row), ...change }), speculationId)
    },
    list({ before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows = page.all(before, limit + 1)
      const events = rows.slice(0, limit).map((row) => ({ ...eventOf(row), seq: row.seq }))
      return { events, hasMore: rows.length > limit }
    },
    judged: (after, limit) => decided.all(after, limit).map(eventOf),
    last: () => newest.get()?.seq ?? 0,
    summary: () => summed(all.all().map(eventOf)),
    erase: () => void erase.run(),
  }
}

function eventOf({ value }: Row): SpeculationEvent {
  return SpeculationEvent.parse(JSON.parse(value))
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

import { SpeculationEvent, type SpeculationSummary } from '../../../shared/domain/session/speculation.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders } from '../database/stored-rows.ts'
import { createEventTable } from './event-table.ts'

/** Outcomes of speculations. */
export type SpeculationRepository = ReturnType<typeof createSpeculationRepository>

export function createSpeculationRepository(db: Db, read = createRowReaders()) {
  const events = createEventTable(db, 'speculations', SpeculationEvent, read)
  const decided = db.prepare<[number]>(
    `SELECT seq, value FROM speculations WHERE seq > ? AND CASE WHEN json_valid(value) THEN value ->> '$.isFinished'
       AND value ->> '$.outcome' IN ('accepted', 'rejected', 'aborted') END ORDER BY seq DESC`,
  )
  const newest = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM speculations')
  const interrupt = db.prepare(
    `UPDATE speculations SET value = json_set(value, '$.outcome', 'aborted', '$.reason', 'interrupted')
     WHERE CASE WHEN json_valid(value) THEN value ->> '$.outcome' IN ('running', 'completed', 'boundary') END`,
  )
  return {
    ...events.methods,
    add: (event: SpeculationEvent): void => events.add(event.speculationId, event),
    /** Marks runs that an earlier host left undecided as aborted: their files are gone. */
    interruptLeftovers: (): void => void interrupt.run(),
    /** Returns the last finished runs after a position that were accepted, rejected or aborted, newest first. */
    judged: (after: number, limit: number): SpeculationEvent[] =>
      events.rows.all(decided.iterate(after), limit).map(({ value }) => value),
    /** Returns the newest position; 0 where there is none. */
    last: (): number => newest.get()?.seq ?? 0,
    summary: (): SpeculationSummary => summed(events.all()),
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

import { z } from 'zod'
import { SuggestionEvent, type SuggestionSummary } from '../../shared/domain/session/suggestion.ts'
import type { Db } from './database.ts'
import { createRowReaders, jsonOf } from './stored-rows.ts'

/** Outcomes of suggestions. Units: `before` is a position that `list` returned. */
export type SuggestionRepository = {
  add(event: SuggestionEvent): void
  /** Changes an event; does nothing where it is gone. */
  change(suggestionId: string, change: Partial<SuggestionEvent>): void
  /** Newest first. */
  list(query: { before?: number | undefined; limit: number }): {
    events: (SuggestionEvent & { seq: number })[]
    hasMore: boolean
  }
  summary(): SuggestionSummary
  erase(): void
}

const Row = z.object({ seq: z.number(), value: jsonOf(SuggestionEvent) })

/** Most events that are kept: enough to judge by. */
const limitEvents = 10_000

export function createSuggestionRepository(db: Db, read = createRowReaders()): SuggestionRepository {
  const rows = read('suggestions', Row)
  const insert = db.prepare('INSERT INTO suggestions (id, value) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM suggestions WHERE seq <= ?')
  const one = db.prepare<[string]>('SELECT seq, value FROM suggestions WHERE id = ?')
  const update = db.prepare('UPDATE suggestions SET value = ? WHERE id = ?')
  const page = db.prepare<[number]>('SELECT seq, value FROM suggestions WHERE seq < ? ORDER BY seq DESC')
  const all = db.prepare('SELECT seq, value FROM suggestions')
  const erase = db.prepare('DELETE FROM suggestions')
  return {
    add(event) {
      const { lastInsertRowid } = insert.run(event.suggestionId, JSON.stringify(event))
      prune.run(Number(lastInsertRowid) - limitEvents)
    },
    change(suggestionId, change) {
      const row = one.get(suggestionId)
      const event = row === undefined ? undefined : rows.one(row)?.value
      if (event !== undefined) update.run(JSON.stringify({ ...event, ...change }), suggestionId)
    },
    list({ before = Number.MAX_SAFE_INTEGER, limit }) {
      const { found, hasMore } = rows.page(page.iterate(before), limit)
      return { events: found.map(({ seq, value }) => ({ ...value, seq })), hasMore }
    },
    summary: () => summed(rows.all(all.iterate()).map(({ value }) => value)),
    erase: () => void erase.run(),
  }
}

function summed(events: readonly SuggestionEvent[]): SuggestionSummary {
  const count = (outcome: SuggestionEvent['outcome']) =>
    events.filter((event) => event.outcome === outcome).length
  const acceptedBy = (method: SuggestionEvent['method']) =>
    events.filter((event) => event.outcome === 'accepted' && event.method === method).length
  const sum = (of: (event: SuggestionEvent) => number) =>
    events.reduce((total, event) => total + of(event), 0)
  const reasons: Record<string, number> = {}
  for (const { reason } of events) if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1
  return {
    offered: events.filter(({ length }) => length > 0).length,
    accepted: count('accepted'),
    ignored: count('ignored'),
    methods: { tab: acceptedBy('tab'), enter: acceptedBy('enter'), right: acceptedBy('right') },
    reasons,
    promptTokens: sum((event) => event.promptTokens),
    reusedTokens: sum((event) => event.reusedTokens ?? 0),
    completionTokens: sum((event) => event.completionTokens),
    similarity: middle(events.flatMap(({ similarity }) => similarity ?? [])),
    msToSuggestion: middle(
      events.filter(({ source, length }) => source === 'model' && length > 0).map((e) => e.msToSuggestion),
    ),
  }
}

function middle(values: number[]): number | null {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}

import { SuggestionEvent, type SuggestionSummary } from '../../shared/domain/session/suggestion.ts'
import type { Db } from './database.ts'

/** What became of suggestions. Units: `before` is a position that `list` returned. */
export type SuggestionRepository = {
  add(event: SuggestionEvent): void
  /** Nothing happens where it is gone. */
  change(suggestionId: string, change: Partial<SuggestionEvent>): void
  /** Newest first. */
  list(query: { before?: number | undefined; limit: number }): {
    events: (SuggestionEvent & { seq: number })[]
    hasMore: boolean
  }
  summary(): SuggestionSummary
  erase(): void
}

type Row = { seq: number; value: string }

/** Kept at the most: enough to judge by. */
const limitEvents = 10_000

export function createSuggestionRepository(db: Db): SuggestionRepository {
  const insert = db.prepare('INSERT INTO suggestions (id, value) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM suggestions WHERE seq <= ?')
  const one = db.prepare<[string], Row>('SELECT seq, value FROM suggestions WHERE id = ?')
  const update = db.prepare('UPDATE suggestions SET value = ? WHERE id = ?')
  const page = db.prepare<[number, number], Row>(
    'SELECT seq, value FROM suggestions WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  )
  const all = db.prepare<[], Row>('SELECT seq, value FROM suggestions')
  const erase = db.prepare('DELETE FROM suggestions')
  return {
    add(event) {
      const { lastInsertRowid } = insert.run(event.suggestionId, JSON.stringify(event))
      prune.run(Number(lastInsertRowid) - limitEvents)
    },
    change(suggestionId, change) {
      const row = one.get(suggestionId)
      if (row !== undefined) update.run(JSON.stringify({ ...eventOf(row), ...change }), suggestionId)
    },
    list({ before = Number.MAX_SAFE_INTEGER, limit }) {
      const rows = page.all(before, limit + 1)
      const events = rows.slice(0, limit).map((row) => ({ ...eventOf(row), seq: row.seq }))
      return { events, hasMore: rows.length > limit }
    },
    summary: () => summed(all.all().map(eventOf)),
    erase: () => void erase.run(),
  }
}

function eventOf({ value }: Row): SuggestionEvent {
  return SuggestionEvent.parse(JSON.parse(value))
}

function summed(events: readonly SuggestionEvent[]): SuggestionSummary {
  const count = (outcome: SuggestionEvent['outcome']) =>
    events.filter((event) => event.outcome === outcome).length
  const taken = (method: SuggestionEvent['method']) =>
    events.filter((event) => event.outcome === 'accepted' && event.method === method).length
  const sum = (of: (event: SuggestionEvent) => number) =>
    events.reduce((total, event) => total + of(event), 0)
  const reasons: Record<string, number> = {}
  for (const { reason } of events) if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1
  return {
    offered: events.filter(({ length }) => length > 0).length,
    accepted: count('accepted'),
    ignored: count('ignored'),
    methods: { tab: taken('tab'), enter: taken('enter'), right: taken('right') },
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

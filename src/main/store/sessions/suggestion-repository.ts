import { SuggestionEvent, type SuggestionSummary } from '../../../shared/domain/session/suggestion.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders } from '../database/stored-rows.ts'
import { createEventTable } from './event-table.ts'

/** Outcomes of suggestions. */
export type SuggestionRepository = ReturnType<typeof createSuggestionRepository>

export function createSuggestionRepository(db: Db, read = createRowReaders()) {
  const events = createEventTable(db, 'suggestions', SuggestionEvent, read)
  return {
    ...events.methods,
    add: (event: SuggestionEvent): void => events.add(event.suggestionId, event),
    summary: (): SuggestionSummary => summed(events.all()),
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

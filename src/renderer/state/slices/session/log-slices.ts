import type {
  SpeculationEvent,
  SpeculationPause,
  SpeculationSummary,
} from '../../../../shared/domain/session/speculation.ts'
import type {
  SuggestionEvent,
  SuggestionPause,
  SuggestionSummary,
} from '../../../../shared/domain/session/suggestion.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

type LoggedSuggestion = SuggestionEvent & { seq: number }
export type LoggedSpeculation = SpeculationEvent & { seq: number }

const pageLength = 50

/** Lists a record, newest events first; `more` goes on from those that are `known`. */
function pagesOf<E extends { seq: number }, A extends { events: E[] }>(
  list: (input: { before?: number; limit: number }) => Promise<A>,
  known: () => E[] | null,
) {
  const newest = () => list({ limit: pageLength })
  const more = async () => {
    const events = known() ?? []
    const before = events.at(-1)?.seq
    if (before === undefined) return newest()
    const answer = await list({ before, limit: pageLength })
    return { ...answer, events: [...events, ...answer.events] }
  }
  return { newest, more }
}

/** Returns a function that runs a task and shows its answer, or why it failed, unless another was asked for since. */
function latest<P extends object>(show: (part: (P & { error: null }) | { error: ErrorInfo }) => void) {
  let asked = 0
  return async (task: () => Promise<P>) => {
    const mine = ++asked
    const part = await task().then(
      (answer) => ({ ...answer, error: null }),
      (error) => ({ error: infoOf(error) }),
    )
    if (mine === asked) show(part)
  }
}

/** The record of suggestions of all sessions, without their texts. */
export function createSuggestionLogSlice({ client, get, patch }: SliceContext) {
  const { newest, more } = pagesOf(client['suggestion.list'], () => get().suggestionLog.events)
  const ask = latest<Awaited<ReturnType<typeof newest>>>((part) =>
    patch('suggestionLog', { ...part, isLoading: false }),
  )
  const attempt = (task: typeof newest) => {
    patch('suggestionLog', { isLoading: true, error: null })
    return ask(task)
  }

  return {
    /** Null until they were asked for. */
    events: null as LoggedSuggestion[] | null,
    hasMore: false,
    summary: null as SuggestionSummary | null,
    pauses: [] as SuggestionPause[],
    isLoading: false,
    error: null as ErrorInfo | null,

    load: () => attempt(newest),
    loadMore: () => attempt(more),
    erase: () =>
      attempt(async () => {
        await client['suggestion.erase']({})
        const [answer] = await Promise.all([newest(), get().speculationLog.load()])
        return answer
      }),
    resume: () =>
      attempt(async () => {
        await client['suggestion.resume']({})
        return newest()
      }),
  }
}

/** The record of speculations of all sessions; erased with the record of suggestions. */
export function createSpeculationLogSlice({ client, get, patch }: SliceContext) {
  const { newest, more } = pagesOf(client['speculation.list'], () => get().speculationLog.events)
  const attempt = latest<Awaited<ReturnType<typeof newest>>>((part) => patch('speculationLog', part))

  return {
    /** Null until they were asked for. */
    events: null as LoggedSpeculation[] | null,
    hasMore: false,
    summary: null as SpeculationSummary | null,
    /** Why no speculation runs any more; null: they run where the settings say so. */
    pause: null as SpeculationPause | null,
    error: null as ErrorInfo | null,

    load: () => attempt(newest),
    loadMore: () => attempt(more),
    resume: () =>
      attempt(async () => {
        await client['speculation.resume']({})
        return newest()
      }),
  }
}

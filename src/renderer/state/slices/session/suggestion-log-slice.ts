import type {
  SuggestionEvent,
  SuggestionPause,
  SuggestionSummary,
} from '../../../../shared/domain/session/suggestion.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

export type LoggedSuggestion = SuggestionEvent & { seq: number }

const pageLength = 50

/** The record of suggestions of all sessions, without their texts. */
export function createSuggestionLogSlice({ client, get, patch }: SliceContext) {
  let asked = 0

  const attempt = async (task: (isCurrent: () => boolean) => Promise<void>) => {
    const mine = ++asked
    const isCurrent = () => mine === asked
    patch('suggestionLog', { isLoading: true, error: null })
    try {
      await task(isCurrent)
    } catch (error) {
      if (isCurrent()) patch('suggestionLog', { error: infoOf(error) })
    } finally {
      if (isCurrent()) patch('suggestionLog', { isLoading: false })
    }
  }
  const newest = async (isCurrent: () => boolean) => {
    const answer = await client['suggestion.list']({ limit: pageLength })
    if (isCurrent()) patch('suggestionLog', answer)
  }

  return {
    /** Null until they were asked for. Newest first. */
    events: null as LoggedSuggestion[] | null,
    hasMore: false,
    summary: null as SuggestionSummary | null,
    pauses: [] as SuggestionPause[],
    isLoading: false,
    error: null as ErrorInfo | null,

    load: () => attempt(newest),
    loadMore: () =>
      attempt(async (isCurrent) => {
        const known = get().suggestionLog.events ?? []
        const before = known.at(-1)?.seq
        if (before === undefined) return newest(isCurrent)
        const answer = await client['suggestion.list']({ before, limit: pageLength })
        if (isCurrent()) patch('suggestionLog', { ...answer, events: [...known, ...answer.events] })
      }),
    erase: () =>
      attempt(async (isCurrent) => {
        await client['suggestion.erase']({})
        await Promise.all([newest(isCurrent), get().speculationLog.load()])
      }),
    resume: () =>
      attempt(async (isCurrent) => {
        await client['suggestion.resume']({})
        await newest(isCurrent)
      }),
  }
}

import { noSuggestion, type SettledSuggestion } from '../../../../shared/domain/session/suggestion.ts'
import type { AppState } from '../../app-state.ts'
import type { SliceContext } from '../slice.ts'

/** The host's suggestion for the next message of the current session. */
export function createSuggestionSlice(context: SliceContext) {
  const { client, get, patch, follow, tell, attempt } = context
  let followed: string | null = null
  let stop: (() => void) | undefined
  /** Id of the suggestion whose outcome was reported: it stays hidden in this window even if the report fails. */
  let told: string | null = null

  return {
    current: noSuggestion,
    /** The user has hidden the notice that suggestions have stopped. */
    isPauseHidden: false,

    follow(sessionId: string | null) {
      stop?.()
      stop = undefined
      followed = sessionId
      patch('suggestion', { current: noSuggestion })
      if (sessionId === null) return
      stop = follow(
        (signal) => client['suggestion.watch']({ sessionId, isAttended: true }, { signal }),
        (current) => {
          const isTold = current.suggestionId !== null && current.suggestionId === told
          patch('suggestion', { current: isTold ? noSuggestion : current })
          // Suggestions are back, so the user is told when they stop again.
          if (current.source === 'model') patch('suggestion', { isPauseHidden: false })
        },
        (error) => {
          patch('suggestion', { current: noSuggestion })
          // The session itself says that it is gone.
          tell(error, 'session/not-found')
        },
      )
    },

    /** Hides a suggestion; false where it was settled before. */
    settle(suggestionId: string) {
      if (followed === null || suggestionId === told) return false
      told = suggestionId
      if (get().suggestion.current.suggestionId === suggestionId)
        patch('suggestion', { current: noSuggestion })
      return true
    },
    /** Reports the outcome of a suggestion once; false where another window was first. */
    async tell({ suggestionId, ...outcome }: SettledSuggestion) {
      if (!get().suggestion.settle(suggestionId) || followed === null) return false
      try {
        const input = { sessionId: followed, suggestionId, outcome }
        return (await client['suggestion.outcome'](input)).isFirst
      } catch (error) {
        tell(error, 'rpc/closed')
        return false
      }
    },

    /** Shows the next (1) or the one before (-1) of the alternatives, in every window. */
    async other(step: 1 | -1) {
      const { suggestionId, place } = get().suggestion.current
      const sessionId = followed
      if (sessionId === null || suggestionId === null || place === undefined) return
      await attempt(() => client['suggestion.other']({ sessionId, suggestionId, step }))
    },

    /** Lets the models suggest again that were stopped for their cost. */
    resume: () => attempt(() => client['suggestion.resume']({})),
    hidePause: () => patch('suggestion', { isPauseHidden: true }),
  }
}

export type OfferedSuggestion = { suggestionId: string; text: string }

/** True where something may be offered in the box: nothing else waits for the user or is being done. */
export function mayOffer({ conversation, composer, ui, references, connection }: AppState): boolean {
  const session = conversation.current?.state ?? null
  if (session === null || composer.editing !== null || connection.status !== 'open') return false
  if (ui.dialog !== null || references.secrets !== null) return false
  return session.activity === null && session.openGates.length === 0 && session.queue.length === 0
}

export function offeredSuggestion(state: AppState): OfferedSuggestion | null {
  const { suggestionId, text } = state.suggestion.current
  return suggestionId === null || text === null || !mayOffer(state) ? null : { suggestionId, text }
}

/** Returns why the host has stopped suggesting, where the user should know it. */
export function shownPause({ suggestion }: AppState): 'paused_cache' | 'paused_timeouts' | null {
  const { suppressed } = suggestion.current
  if (suggestion.isPauseHidden) return null
  return suppressed === 'paused_cache' || suppressed === 'paused_timeouts' ? suppressed : null
}

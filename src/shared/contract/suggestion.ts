import { z } from 'zod'
import {
  SuggestionEvent,
  SuggestionOutcome,
  SuggestionPause,
  SuggestionState,
  SuggestionSummary,
} from '../domain/session/suggestion.ts'
import { call, stream } from './method.ts'

const InSession = z.object({ sessionId: z.string() })

export const suggestionContract = {
  /**
   * Sends the suggestion for the next message, now and after each change. Suggestions are made only while a client
   * watches; `isAttended` false: the client is a program without a user.
   *
   * Errors: `session/not-found`.
   */
  'suggestion.watch': stream(InSession.extend({ isAttended: z.boolean().default(true) }), SuggestionState, {
    merge: (_older, newer) => newer,
  }),
  /** Settles a suggestion and removes it everywhere; `isFirst` is false where another outcome came before. */
  'suggestion.outcome': call(
    InSession.extend({ suggestionId: z.string(), outcome: SuggestionOutcome }),
    z.object({ isFirst: z.boolean() }),
  ),
  /**
   * Shows the next alternative (1) or the one before (-1) in every window; does nothing where `suggestionId` is none of
   * the alternatives any more.
   */
  'suggestion.other': call(
    InSession.extend({ suggestionId: z.string(), step: z.union([z.literal(1), z.literal(-1)]) }),
    z.object({}),
  ),
  /** Returns the records of suggestions, newest first; `before` is a `seq`. `summary` and `pauses` are of all. */
  'suggestion.list': call(
    z.object({ before: z.int().optional(), limit: z.int().min(1).max(200).default(100) }),
    z.object({
      events: z.array(SuggestionEvent.extend({ seq: z.int() })),
      hasMore: z.boolean(),
      summary: SuggestionSummary,
      pauses: z.array(SuggestionPause),
    }),
  ),
  'suggestion.erase': call(z.object({}), z.object({})),
  /** Ends the pauses of models: every model may suggest again. */
  'suggestion.resume': call(z.object({}), z.object({})),
}

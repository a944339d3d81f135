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
   * What is suggested for the next message, now and after each change. Suggestions are only made while somebody
   * watches; `isAttended` false: no person does.
   *
   * Errors: `session/not-found`.
   */
  'suggestion.watch': stream(InSession.extend({ isAttended: z.boolean().default(true) }), SuggestionState, {
    merge: (_older, newer) => newer,
  }),
  /** The first word on a suggestion counts and takes it away everywhere; false where it came too late. */
  'suggestion.outcome': call(
    InSession.extend({ suggestionId: z.string(), outcome: SuggestionOutcome }),
    z.object({ isFirst: z.boolean() }),
  ),
  /**
   * Shows the next (1) or the one before (-1) of what is shown, in every window; nothing happens where `suggestionId`
   * is none of the alternatives any more.
   */
  'suggestion.other': call(
    InSession.extend({ suggestionId: z.string(), step: z.union([z.literal(1), z.literal(-1)]) }),
    z.object({}),
  ),
  /** What became of suggestions, newest first; `before` is a `seq`. Of all together, and who pauses, each time. */
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
  /** After a pause for its cost: every model may suggest again. */
  'suggestion.resume': call(z.object({}), z.object({})),
}

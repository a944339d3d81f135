import { z } from 'zod'
import { SessionItem } from '../domain/session/session-item.ts'
import {
  SpeculationDecision,
  SpeculationEvent,
  SpeculationPause,
  SpeculationState,
  SpeculationSummary,
} from '../domain/session/speculation.ts'
import {
  SettledSuggestion,
  SuggestionEvent,
  SuggestionOutcome,
  SuggestionPause,
  SuggestionState,
  SuggestionSummary,
} from '../domain/session/suggestion.ts'
import { ChangedFile } from '../domain/session/tool-result.ts'
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
  /** Shows the next (1) or former (-1) alternative in every window, if `suggestionId` is still one. */
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

const OfSpeculation = InSession.extend({ speculationId: z.string() })

export const speculationContract = {
  /** Sends a session's speculations at each change. Errors: `session/not-found`. */
  'speculation.watch': stream(InSession, SpeculationState, { merge: (_older, newer) => newer }),
  /**
   * Brings the first speculation into the session and the folder, and settles the suggestion by which the user accepted
   * it. The call returns at once; the state says what the acceptance asks and how it ends. The first decision on a
   * speculation counts; `isFirst` is false where another one came before, or the speculation depends on another
   * speculation. `isAccepted`: another window has accepted it.
   */
  'speculation.accept': call(
    OfSpeculation.extend({ suggestion: SettledSuggestion.optional() }),
    z.object({ isFirst: z.boolean(), isAccepted: z.boolean() }),
  ),
  /**
   * Returns the present result of a speculation, for reading only. Null where the speculation is gone.
   *
   * Shape: `files` with both texts; null: no such file, or no text to show. `ignored` as in an approval. `items` are
   * those of the speculated conversation, oldest first.
   */
  'speculation.preview': call(
    OfSpeculation,
    z
      .object({
        files: z.array(
          ChangedFile.extend({ oldText: z.string().nullable(), newText: z.string().nullable() }),
        ),
        ignored: z.array(
          z.object({ top: z.string(), files: z.int(), removed: z.int(), sizeBytes: z.number() }),
        ),
        items: z.array(SessionItem),
      })
      .nullable(),
  ),
  /** Answers an acceptance; `isAnswered` false: it asks something else. Errors: `gate/not-open`, `gate/too-early`. */
  'speculation.decide': call(
    OfSpeculation.extend({ decision: SpeculationDecision }),
    z.object({ isAnswered: z.boolean() }),
  ),
  /** Drops a speculation and those on top of it, or dismisses the notice of one that ended; false if too late. */
  'speculation.reject': call(OfSpeculation, z.object({ isFirst: z.boolean() })),
  /**
   * Runs the suggestion of a speculation again, on the files as they are now: of one that ended, stopped or could not
   * be accepted. `isFirst` is false where there is none.
   *
   * Errors: `speculation/busy` where it cannot begin now.
   */
  'speculation.rerun': call(OfSpeculation, z.object({ isFirst: z.boolean() })),
  /** Ends a pause for too few acceptances: speculations may run again. */
  'speculation.resume': call(z.object({}), z.object({})),
  /** Returns the records of speculations, newest first; `before` is a `seq`. Erased with those of suggestions. */
  'speculation.list': call(
    z.object({ before: z.int().optional(), limit: z.int().min(1).max(200).default(100) }),
    z.object({
      events: z.array(SpeculationEvent.extend({ seq: z.int() })),
      hasMore: z.boolean(),
      summary: SpeculationSummary,
      pause: SpeculationPause.nullable(),
    }),
  ),
}

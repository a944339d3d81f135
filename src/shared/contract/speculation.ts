import { z } from 'zod'
import { SessionItem } from '../domain/session/session-item.ts'
import {
  SpeculationDecision,
  SpeculationEvent,
  SpeculationPause,
  SpeculationState,
  SpeculationSummary,
} from '../domain/session/speculation.ts'
import { SettledSuggestion } from '../domain/session/suggestion.ts'
import { ChangedFile } from '../domain/session/tool-result.ts'
import { call, stream } from './method.ts'

const InSession = z.object({ sessionId: z.string() })
const OfSpeculation = InSession.extend({ speculationId: z.string() })

export const speculationContract = {
  /**
   * What is done ahead in a session, now and after each change.
   *
   * Errors: `session/not-found`.
   */
  'speculation.watch': stream(InSession, SpeculationState, { merge: (_older, newer) => newer }),
  /**
   * Brings the first speculation into the session and the folder, and settles the suggestion that the user accepted it
   * by. The call returns at once; the state says what the acceptance asks and how it ends. The first decision on a
   * speculation counts; `isFirst` false where this one came too late, or the speculation stands on another one.
   * `isTaken`: another window has accepted it.
   */
  'speculation.accept': call(
    OfSpeculation.extend({ suggestion: SettledSuggestion.optional() }),
    z.object({ isFirst: z.boolean(), isTaken: z.boolean() }),
  ),
  /**
   * What a speculation has come to, for reading: nothing is written or decided by it. Null where it is gone.
   *
   * Shape: `files` with both texts, null: no such file, or none that can be shown. `ignored` as of an approval. `items`
   * are those of the speculated conversation, oldest first.
   */
  'speculation.preview': call(
    OfSpeculation,
    z
      .object({
        files: z.array(
          ChangedFile.extend({ oldText: z.string().nullable(), newText: z.string().nullable() }),
        ),
        ignored: z.array(z.object({ top: z.string(), files: z.int(), sizeBytes: z.number() })),
        items: z.array(SessionItem),
      })
      .nullable(),
  ),
  /**
   * Answers what an acceptance asks; false where it asks something else by now, or nothing.
   *
   * Errors: `gate/not-open`, `gate/too-early`.
   */
  'speculation.decide': call(
    OfSpeculation.extend({ decision: SpeculationDecision }),
    z.object({ isTaken: z.boolean() }),
  ),
  /** Drops a run ahead, and those on top of it, or dismisses the word on one that ended; false where it came too late. */
  'speculation.reject': call(OfSpeculation, z.object({ isFirst: z.boolean() })),
  /**
   * Runs the suggestion of a speculation again, on the files as they are now: of one that ended, stopped or could not
   * be accepted. False where there is no such.
   *
   * Errors: `speculation/busy` where it cannot begin now.
   */
  'speculation.rerun': call(OfSpeculation, z.object({ isFirst: z.boolean() })),
  /** After a pause for too few acceptances: it may be done again. */
  'speculation.resume': call(z.object({}), z.object({})),
  /** What became of runs ahead, newest first; `before` is a `seq`. Erased with the record of suggestions. */
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

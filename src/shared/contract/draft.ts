import { z } from 'zod'
import { DraftMode, IdeaTarget, IdeaWords, TakeMode } from '../domain/drafting/draft-details.ts'
import { DraftPreview } from '../domain/drafting/draft-preview.ts'
import { NextWords, TakeBranch } from '../domain/drafting/next-words.ts'
import { Rewrite, RewritePreset } from '../domain/drafting/rewrite.ts'
import { EndlessDraft, mergeRunEvents, Run, RunEvent } from '../domain/drafting/run.ts'
import { RolledValue, Take, TakeRecord, TakeState } from '../domain/drafting/take.ts'
import { call, stream } from './method.ts'

/**
 * The text to continue. `endAt`: *continue from here*, UTF-16 units of the open document. `path` may be empty for
 * an idea. `ideaOf`: the idea (`placeId`) that one item is made again for.
 */
const DraftRequest = z.object({
  workId: z.string(),
  path: z.string(),
  ideaOf: z.string().optional(),
  mode: DraftMode.default('generate'),
  ideaTarget: IdeaTarget.default('all'),
  endAt: z.number().int().nonnegative().optional(),
})

export const draftContract = {
  /** The prompt that the next run sends; the dice that it rolls are held for that run. */
  'draft.preview': call(DraftRequest, DraftPreview),
  'draft.start': call(
    DraftRequest.extend({
      /** Sends although the tokens could only be estimated: the user has agreed. */
      isEstimateAccepted: z.boolean().default(false),
      seed: z.number().int().nonnegative().optional(),
      /** Writes block after block, each a take of the same place, until the user stops it. */
      isEndless: z.boolean().optional(),
      /** The number of takes to make from one prompt, at the same time where the model serves several requests. */
      takes: z.int().min(2).max(9).optional(),
      /** Continues from part of a take, with that take's own prompt instead of the present text. */
      branch: TakeBranch.optional(),
      /**
       * Rewrites a selection in place of a continuation; `of` is the first take of the same selection (`placeId`).
       * Errors: `file/changed` where the selection holds another text.
       */
      rewrite: Rewrite.extend({ of: z.string().optional() }).optional(),
    }),
    z.object({ run: Run }),
  ),
  /** The names in the headers of an idea, by the prompts' language. */
  'draft.ideaWords': call(z.object({}), z.object({ ja: IdeaWords, en: IdeaWords })),
  /** The presets for rewriting a selection that come with the program. */
  'draft.rewrites': call(z.object({}), z.object({ ja: z.array(RewritePreset), en: z.array(RewritePreset) })),
  /**
   * The likeliest words at a place of a take. Errors: `model/no-probabilities` where the backend tells none;
   * `run/busy` while a run of this work writes; `take/not-found`; `model/…`.
   */
  'draft.words': call(z.object({ takeId: z.string(), at: z.int().nonnegative() }), NextWords),
  /** Has the next page tell summaries that would wait until the anchor moves (`StoryReport.isHeld`). */
  'draft.tellSummaries': call(z.object({ workId: z.string() }), z.object({})),
  /** Rolls the dice of the preview anew. */
  'draft.reroll': call(z.object({ workId: z.string() }), z.object({})),

  /** *Fix this roll*: writes a rolled value in place of its options. Errors: `file/changed` where these are gone. */
  'draft.fixRoll': call(z.object({ workId: z.string(), roll: RolledValue }), z.object({})),

  /** Ends endless generation, and stops the block that is being written. */
  'draft.stopEndless': call(z.object({ workId: z.string() }), z.object({})),
  'draft.watchEndless': stream(
    z.object({ workId: z.string() }),
    z.object({ endless: EndlessDraft.nullable() }),
  ),

  'run.list': call(z.object({ workId: z.string() }), z.object({ runs: z.array(Run) })),
  'run.watch': stream(
    z.object({ runId: z.string(), afterSeq: z.number().int().nonnegative().optional() }),
    RunEvent,
    { slowReader: 'snapshot', merge: mergeRunEvents },
  ),
  /** Ends a run; the text so far stays as a take. */
  'run.stop': call(z.object({ runId: z.string() }), z.object({})),

  /** Newest first. */
  'take.list': call(
    z.object({
      workId: z.string(),
      path: z.string().optional(),
      mode: TakeMode.optional(),
      except: z.array(TakeMode).optional(),
      before: z.string().optional(),
      limit: z.number().int().min(1).max(200).default(50),
    }),
    z.object({ takes: z.array(Take), hasMore: z.boolean() }),
  ),
  'take.get': call(z.object({ takeId: z.string() }), TakeRecord),
  'take.update': call(
    z.object({
      takeId: z.string(),
      state: TakeState.optional(),
      acceptedLength: z.number().int().nonnegative().optional(),
      /** All that was shown of the take was accepted; more of it may have been written since. */
      isWhole: z.boolean().optional(),
    }),
    z.object({ take: Take }),
  ),
  /** New and changed takes of a work, from any window. */
  'take.watch': stream(z.object({ workId: z.string() }), z.object({ take: Take })),
}

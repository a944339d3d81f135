import { z } from 'zod'
import { call, stream } from '../../shared/contract/method.ts'
import { NextWord } from '../../shared/domain/drafting/next-words.ts'
import { CompletionEnd } from '../../shared/domain/model/model-status.ts'
import { Sampler } from '../../shared/domain/model/sampler.ts'

const Segment = z.object({ text: z.string(), isSpecial: z.boolean() })

/** Properties of the model file that the engine has loaded. Units: tokens. */
export const EngineModel = z.object({
  modelName: z.string().nullable(),
  contextTokens: z.int(),
  threads: z.int(),
})
export type EngineModel = z.infer<typeof EngineModel>

/** `conversation`: requests with the same name share a prompt cache. */
export const EngineRequest = z.object({
  /** Chosen by the caller; `engine.stop` names it. */
  id: z.int(),
  segments: z.array(Segment),
  sampler: Sampler,
  maxTokens: z.int().min(1),
  stops: z.array(z.string()),
  seed: z.int().min(0),
  isEosBanned: z.boolean(),
  tellsChances: z.boolean().optional(),
  /** None of their tokens is written. */
  bannedStarts: z.array(z.string()).optional(),
  /** GBNF; empty: none. */
  grammar: z.string(),
  conversation: z.string(),
})
export type EngineRequest = z.infer<typeof EngineRequest>

/** `readTokens`: prompt tokens that had to be processed; the rest was in the cache. */
export const EngineEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reading'), progress: z.number() }),
  z.object({ type: z.literal('text'), text: z.string() }),
  /** As in `ModelEvent`; only where it was asked for. */
  z.object({ type: z.literal('chance'), text: z.string(), share: z.number() }),
  z.object({
    type: z.literal('done'),
    stopReason: CompletionEnd,
    promptTokens: z.int(),
    readTokens: z.int(),
    completionTokens: z.int(),
  }),
])
export type EngineEvent = z.infer<typeof EngineEvent>

/** The calls that the engine's process answers, in the same frames as those of a window. */
export const engineContract = {
  /**
   * Loads a file in place of the one before. `statesDir`: where conversations are saved between processes;
   * null: nowhere.
   *
   * Errors: `model/bad-file`.
   */
  'engine.load': call(
    z.object({ file: z.string(), contextTokens: z.int().nullable(), statesDir: z.string().nullable() }),
    EngineModel,
  ),
  /** Counts as `complete` would, with the BOS token unless `isPiece`. */
  'engine.count': call(
    z.object({ segments: z.array(Segment), isPiece: z.boolean() }),
    z.object({ tokens: z.int() }),
  ),
  /**
   * Errors: `model/context-overflow` before anything is processed: no token is ever shifted out of the context;
   * `model/bad-request` for a grammar that does not parse.
   */
  'engine.complete': stream(EngineRequest, EngineEvent),
  /** The likeliest words after a prompt, by the model's own probabilities. Errors: as `engine.complete`. */
  'engine.words': call(
    z.object({ segments: z.array(Segment), conversation: z.string() }),
    z.object({ words: z.array(NextWord), limit: z.int(), promptTokens: z.int(), readTokens: z.int() }),
  ),
  /** Ends a completion normally, with `done`; a cancelled stream would end without it. */
  'engine.stop': call(z.object({ id: z.int() }), z.object({})),
  /** Saves the conversations' states for the next process; logs and skips those that cannot be saved. */
  'engine.save': call(z.object({}), z.object({})),
  'engine.stats': call(z.object({}), z.object({ sequences: z.int(), rssBytes: z.number() })),
}

import { z } from 'zod'

/** What a session asks a model for so that the conversation goes on. */
const MainPurpose = z.enum(['decision', 'reply', 'work', 'beside', 'compaction'])

/**
 * What it asks in the background, beside the conversation and without a trace in it. `prompt_suggestion`: a next
 * message, from the last entries alone. `forked_query`: the same behind the whole conversation, whose cache it
 * shares. `pre_read`: the suggested message is read ahead. `explore`: a question about the folder, with its own context.
 *
 * Source: *Prompt suggestions*, internal prompt ids; `pre_read` and `explore` are our own.
 */
const InternalPurpose = z.enum(['prompt_suggestion', 'forked_query', 'speculation', 'pre_read', 'explore'])

export const RequestPurpose = z.enum([...MainPurpose.options, ...InternalPurpose.options])
export type RequestPurpose = z.infer<typeof RequestPurpose>

/**
 * One request of a session to a model, when it has ended. `isBackground`: its purpose is an internal one.
 *
 * Units: tokens as the backend counts them, 0 where it failed before it said; `ms` of the model's time, its
 * queue left out where the backend was reached. `reusedTokens` null: nobody knows; ours is an estimate elsewhere.
 */
export const ModelRequest = z.object({
  requestId: z.string(),
  at: z.number(),
  purpose: RequestPurpose,
  isBackground: z.boolean(),
  modelName: z.string(),
  promptTokens: z.int(),
  reusedTokens: z.int().nullable(),
  completionTokens: z.int(),
  ms: z.number(),
  end: z.enum(['finished', 'cut', 'stopped', 'failed']),
})
export type ModelRequest = z.infer<typeof ModelRequest>

export function isInternal(purpose: RequestPurpose): boolean {
  return InternalPurpose.options.some((internal) => internal === purpose)
}

import { z } from 'zod'

/** The purposes of requests that continue the conversation. */
const MainPurpose = z.enum(['decision', 'reply', 'work', 'beside', 'compaction'])

/**
 * The purposes of background requests, which leave no trace in the conversation. `prompt_suggestion` asks for a next
 * message from the last entries alone. `forked_query` asks for one after the whole conversation, whose cache it
 * shares. `pre_read` reads the suggested message in advance. `explore` is a question about the folder, with its own
 * context.
 *
 * Source: *Prompt suggestions*, internal prompt ids; `pre_read` and `explore` are our own.
 */
const InternalPurpose = z.enum(['prompt_suggestion', 'forked_query', 'speculation', 'pre_read', 'explore'])

export const RequestPurpose = z.enum([...MainPurpose.options, ...InternalPurpose.options])
export type RequestPurpose = z.infer<typeof RequestPurpose>

/**
 * A request of a session to a model, recorded at its end. `isBackground`: its purpose is an internal one.
 *
 * Units: tokens as the backend counts them, 0 where the request failed before the backend reported them; `ms` of the
 * model's time, without its queue where the backend was reached. `reusedTokens` is null where the backend does not
 * report it: our own estimates are not recorded here.
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

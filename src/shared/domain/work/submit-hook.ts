import { z } from 'zod'

/**
 * A command of the user's that hears of each message before it is sent, and may hold it back.
 *
 * Shape: `name` stands in the refusal.
 */
export const SubmitHook = z.object({
  name: z.string().trim().min(1).max(40),
  line: z.string().trim().min(1).max(2_000),
  isOn: z.boolean(),
})
export type SubmitHook = z.infer<typeof SubmitHook>

export const limitSubmitHooks = 5
/** A hook that has not ended by then is ended, and holds the message back. Units: milliseconds. */
export const submitHookMs = 5_000

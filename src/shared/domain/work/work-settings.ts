import { z } from 'zod'
import { patchOf } from './patch.ts'

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

/** A command of the folder that runs after a turn's last change. */
export const ChangeCheck = z.object({
  line: z.string().trim().min(1).max(2_000),
  isOn: z.boolean(),
})
export type ChangeCheck = z.infer<typeof ChangeCheck>

export const limitChangeChecks = 5

/**
 * What the user chose for one folder alone.
 *
 * Shape: null is as in the app. It lies in the data folder and not in the work: a folder that comes from
 * elsewhere cannot switch anything on.
 */
export const WorkSettings = z.object({
  /** The sampler preset of its drafts; null or gone: that of the model. */
  samplerPresetId: z.string().max(200).nullable().default(null),
  enableFollowupSuggestions: z.boolean().nullable().default(null),
  enableCacheSharing: z.boolean().nullable().default(null),
  enableSpeculation: z.boolean().nullable().default(null),
  stopAtFirstWrite: z.boolean().nullable().default(null),
  enableChainedSpeculation: z.boolean().nullable().default(null),
  /** Asked about each message, in this order, while the folder is trusted. Names are their own. */
  submitHooks: z.array(SubmitHook).max(limitSubmitHooks).default([]),
  /** Run after a turn's last change, while the folder is trusted. Lines are their own. */
  changeChecks: z.array(ChangeCheck).max(limitChangeChecks).default([]),
  /** Proposals of the folder's that are not shown any more, by their hashes. */
  dismissedServers: z.array(z.string()).max(100).default([]),
})
export type WorkSettings = z.infer<typeof WorkSettings>

/** Only what is named changes. */
export const WorkSettingsPatch = patchOf(WorkSettings)
export type WorkSettingsPatch = z.infer<typeof WorkSettingsPatch>

export const noWorkSettings: WorkSettings = WorkSettings.parse({})

import { z } from 'zod'
import { patchOf } from './patch.ts'

/** A user's command that gets each message first and may cancel it; the refusal shows `name`. */
export const SubmitHook = z.object({
  name: z.string().trim().min(1).max(40),
  line: z.string().trim().min(1).max(2_000),
  isOn: z.boolean(),
})
export type SubmitHook = z.infer<typeof SubmitHook>

export const limitSubmitHooks = 5
/** The time limit of a hook. One that takes longer is stopped, and its message is not sent. Units: milliseconds. */
export const submitHookMs = 5_000

/** A command of the folder that runs after a turn's last change. */
export const ChangeCheck = z.object({
  line: z.string().trim().min(1).max(2_000),
  isOn: z.boolean(),
})
export type ChangeCheck = z.infer<typeof ChangeCheck>

export const limitChangeChecks = 5

/**
 * The user's settings for one folder.
 *
 * Shape: null: as in the app. They are stored in the data folder and not in the work, so that a folder that comes from
 * elsewhere cannot switch anything on.
 */
export const WorkSettings = z.object({
  /** The sampler preset of its drafts; null, or a removed preset: that of the model. */
  samplerPresetId: z.string().max(200).nullable().default(null),
  enableFollowupSuggestions: z.boolean().nullable().default(null),
  enableCacheSharing: z.boolean().nullable().default(null),
  enableSpeculation: z.boolean().nullable().default(null),
  stopAtFirstWrite: z.boolean().nullable().default(null),
  enableChainedSpeculation: z.boolean().nullable().default(null),
  /** Hooks for each message, run in this order while the folder is trusted. Names are unique. */
  submitHooks: z.array(SubmitHook).max(limitSubmitHooks).default([]),
  /** Checks run after a turn's last change, while the folder is trusted. Lines are unique. */
  changeChecks: z.array(ChangeCheck).max(limitChangeChecks).default([]),
  /** Hashes of the folder's proposed servers that are no longer shown. */
  dismissedServers: z.array(z.string()).max(100).default([]),
})
export type WorkSettings = z.infer<typeof WorkSettings>

/** A change of settings: absent fields keep their values. */
export const WorkSettingsPatch = patchOf(WorkSettings)
export type WorkSettingsPatch = z.infer<typeof WorkSettingsPatch>

export const noWorkSettings: WorkSettings = WorkSettings.parse({})

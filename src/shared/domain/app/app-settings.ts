import { z } from 'zod'
import { DraftSettings } from '../drafting/draft-settings.ts'
import { ModelRole } from '../model/model-profile.ts'
import { patchOf } from '../work/patch.ts'
import { EditorSettings } from './editor-settings.ts'
import { ToolServer } from './tool-server.ts'

const chosenKeys = z.record(z.string().max(80), z.array(z.string().min(1).max(20)).max(5)).default({})

/** Key combinations by command name. Shape: keys as they are printed, modifiers first, the main key last. */
export const Shortcuts = z.object({ web: chosenKeys, electron: chosenKeys })
export type Shortcuts = z.infer<typeof Shortcuts>

const budget = (tokens: number) => z.int().min(50).max(1_000_000).default(tokens)

/**
 * Token budgets of the layers of a session's prompt at a context window of 8,192 tokens: base text, situation,
 * procedures. They grow with the window.
 *
 * Source: *Duckflow prompt system* 11.1.
 */
export const LayerTokens = z.object({ base: budget(500), main: budget(800), specialised: budget(1_200) })
export type LayerTokens = z.infer<typeof LayerTokens>

/** The user's settings for all works; those of one work lie in its `work.json`. */
export const AppSettings = z.object({
  language: z.enum(['system', 'ja', 'en']).default('system'),
  theme: z.enum(['system', 'light', 'dark', 'sepia']).default('system'),
  editor: EditorSettings.prefault({}),
  drafting: DraftSettings.prefault({}),
  /** The user's own keys, by host: a browser reserves other ones for itself. An empty list: no keys. */
  shortcuts: Shortcuts.default({ web: {}, electron: {} }),
  mainProfileId: z.string().nullable().default(null),
  fastProfileId: z.string().nullable().default(null),
  /** The desktop app shows a system notification for a waiting gate while its window is not in front. */
  isGateNotified: z.boolean().default(false),
  /** Folders searched for GGUF files, besides the data folder's `models`. */
  ggufFolders: z.array(z.string()).default([]),
  /** The most text a model gets of a named file. Units: bytes of UTF-8; null: as for a tool's result. */
  attachedFileLimit: z.int().min(1_024).max(1_048_576).nullable().default(null),
  layerTokens: LayerTokens.prefault({}),
  /** `always`: a request for a decision precedes each answer, even for models that call tools natively. */
  decideFirst: z.enum(['auto', 'always']).default('auto'),
  /** `auto`: changes are reviewed where plans are risky or files many. */
  reviewChanges: z.enum(['auto', 'always']).default('auto'),
  /** Missing summaries of chapters are written, as offers, while the model is idle. */
  summariesWhileIdle: z.boolean().default(false),
  /** Models may ask to read pages of the Web; each site needs consent. */
  isWebFetchOn: z.boolean().default(false),
  /** A model may delegate questions about the folder to another one, where that costs the conversation nothing. */
  isExploreOn: z.boolean().default(true),
  /** MCP servers; each has a unique name. */
  toolServers: z.array(ToolServer).max(20).default([]),
  /** The probable next message is suggested as ghost text. */
  enableFollowupSuggestions: z.boolean().default(true),
  /** Suggestion requests extend the conversation as it was sent, so that the model does not read it again. */
  enableCacheSharing: z.boolean().default(true),
  /** A suggested message is run as a speculation in an overlay, which the user accepts as a whole. */
  enableSpeculation: z.boolean().default(false),
  /** A speculation ends at its first write in the mode in which each edit needs approval. */
  stopAtFirstWrite: z.boolean().default(false),
  /** After a speculation is complete, the next step is run as another one on top of it. */
  enableChainedSpeculation: z.boolean().default(false),
  /** The model that runs speculations: the main one, the one for small background tasks, or, where set, its own. */
  speculationRole: ModelRole.default('main'),
  /** The profile for speculations alone. Null: none was chosen, or it was removed; the main model serves instead. */
  speculationProfileId: z.string().nullable().default(null),
  /** The user has read how commands can run in a copy where a program for it is missing. */
  knowsMissingSandbox: z.boolean().default(false),
  /** The effect of Enter on a suggestion in an empty message box. */
  suggestionEnter: z.enum(['send', 'fill']).default('send'),
})
export type AppSettings = z.infer<typeof AppSettings>

/** A change of settings: absent fields keep their values, inside groups too. */
export const AppSettingsPatch = patchOf(
  AppSettings.extend({
    editor: patchOf(EditorSettings),
    drafting: patchOf(DraftSettings),
    layerTokens: patchOf(LayerTokens),
  }),
)
export type AppSettingsPatch = z.infer<typeof AppSettingsPatch>

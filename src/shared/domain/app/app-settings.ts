import { z } from 'zod'
import { DraftSettings } from '../drafting/draft-settings.ts'
import { ModelRole } from '../model/model-profile.ts'
import { patchOf } from '../work/patch.ts'
import { EditorSettings } from './editor-settings.ts'
import { ToolServer } from './tool-server.ts'

const chosenKeys = z.record(z.string().max(80), z.array(z.string().min(1).max(20)).max(5)).default({})

/** By the name of a command. Shape: keys as they are printed, the last one is the key itself. */
export const Shortcuts = z.object({ web: chosenKeys, electron: chosenKeys })
export type Shortcuts = z.infer<typeof Shortcuts>

const budget = (tokens: number) => z.int().min(50).max(1_000_000).default(tokens)

/**
 * Token budgets of the layers of a session's prompt at a context window of 8,192 tokens: who the model is, where the
 * session stands, how to work. They grow with the window.
 *
 * Source: *Duckflow prompt system* 11.1.
 */
export const LayerTokens = z.object({ base: budget(500), main: budget(800), specialised: budget(1_200) })
export type LayerTokens = z.infer<typeof LayerTokens>

/** What the user chose for all works; a work's own choices lie in its `work.json`. */
export const AppSettings = z.object({
  language: z.enum(['system', 'ja', 'en']).default('system'),
  theme: z.enum(['system', 'light', 'dark', 'sepia']).default('system'),
  editor: EditorSettings.prefault({}),
  drafting: DraftSettings.prefault({}),
  /** Keys that the user chose, by host: a browser keeps other ones for itself. An empty list: none. */
  shortcuts: Shortcuts.default({ web: {}, electron: {} }),
  mainProfileId: z.string().nullable().default(null),
  fastProfileId: z.string().nullable().default(null),
  /** The desktop tells of a waiting gate by a notice of the system while its window is not in front. */
  isGateNotified: z.boolean().default(false),
  /** Folders searched for GGUF files, besides the data folder's `models`. */
  ggufFolders: z.array(z.string()).default([]),
  /**
   * A file that a message names gives the model so much of its text. Null: as much as a tool's result, which grows with
   * the context window. Units: bytes of UTF-8.
   */
  attachedFileLimit: z.int().min(1_024).max(1_048_576).nullable().default(null),
  layerTokens: LayerTokens.prefault({}),
  /** `always`: a request for a decision precedes each answer, also of models that call tools by themselves. */
  decideFirst: z.enum(['auto', 'always']).default('auto'),
  /** `auto`: where plans are risky or files many. */
  reviewChanges: z.enum(['auto', 'always']).default('auto'),
  /** Missing summaries of episodes are written, as offers, while the model is idle. */
  summariesWhileIdle: z.boolean().default(false),
  /** Models may ask to read pages of the Web; each site needs consent. */
  isWebFetchOn: z.boolean().default(false),
  /** A model may have questions about the folder answered by another one, where that costs the conversation nothing. */
  isExploreOn: z.boolean().default(true),
  /** MCP servers, by names of their own. */
  toolServers: z.array(ToolServer).max(20).default([]),
  /** The probable next message as ghost text. */
  enableFollowupSuggestions: z.boolean().default(true),
  /** Suggestions are asked for behind the conversation as it was sent, so that nothing is read anew. */
  enableCacheSharing: z.boolean().default(true),
  /** A suggested message is done ahead in an overlay, to be taken as a whole. */
  enableSpeculation: z.boolean().default(false),
  /** Where each edit is asked about, nothing is written ahead: a run ahead ends at its first write. */
  stopAtFirstWrite: z.boolean().default(false),
  /** Behind a run ahead that is complete, the next step is done ahead on top of it. */
  enableChainedSpeculation: z.boolean().default(false),
  /** The model that does it: the main one, the one for small background tasks, or one of its own, where there is one. */
  speculationRole: ModelRole.default('main'),
  /** Null: none was chosen, or it was removed; the main one does it then. */
  aheadProfileId: z.string().nullable().default(null),
  /** What Enter does with a suggestion in an empty message. */
  suggestionEnter: z.enum(['send', 'fill']).default('send'),
})
export type AppSettings = z.infer<typeof AppSettings>

/** A change of settings: only what is named changes, in its groups too. */
export const AppSettingsPatch = patchOf(
  AppSettings.extend({
    editor: patchOf(EditorSettings),
    drafting: patchOf(DraftSettings),
    layerTokens: patchOf(LayerTokens),
  }),
)
export type AppSettingsPatch = z.infer<typeof AppSettingsPatch>

import { z } from 'zod'
import type { Backend } from '../model/model-profile.ts'
import { RewritePreset } from './rewrite.ts'

/** How a body is cut that does not fit into the context window; `auto`: as suits the model's server. */
export const FitMode = z.enum(['auto', 'token_dynamic', 'char_trim', 'none', 'anchored'])
export type FitMode = z.infer<typeof FitMode>
export type SettledFitMode = Exclude<FitMode, 'auto'>

/**
 * Returns the mode that a body is fitted by. KoboldCpp shifts its cache when the beginning of a text is cut, unless it
 * was seen to read everything again (`readsAgain`), or lore or summaries change the prompt from page to page
 * (`hasMemory`); any other backend would read everything again at each page, unless the beginning is held.
 */
export async function settledFitMode(
  mode: FitMode,
  backend: Backend,
  { readsAgain, hasMemory }: { readsAgain: boolean; hasMemory: () => Promise<boolean> },
): Promise<SettledFitMode> {
  if (mode !== 'auto') return mode
  return backend === 'koboldcpp' && !readsAgain && !(await hasMemory()) ? 'token_dynamic' : 'anchored'
}

/** Where a text is inserted: at the caret, always on a new line, or on a new line when the caret ends its line. */
export const TransferMode = z.enum(['cursor', 'next_line_always', 'next_line_eol'])
export type TransferMode = z.infer<typeof TransferMode>

/** `manual`: an endless run keeps its first prompt; `immediate`: it is built anew for every block. */
export const EndlessPrompt = z.enum(['manual', 'immediate'])

/** Where *Continue* goes on if the caret is in the middle of a chapter; `ask`: the user is asked once. */
export const ContinueAt = z.enum(['ask', 'here', 'end'])

/** How a model is told of the text after the caret; `auto`: by its filling-in tokens, else by an instruction. */
export const FollowingText = z.enum(['auto', 'instruction', 'none'])

/**
 * How prompts are built, fitted and joined, for every work.
 *
 * Units: `stepChars`, `offsetChars`, `maxBodyChars` are Unicode code points; `outputTokens…` are tokens.
 * Source: defaults of `docs/decisions/drafting.md`, "Fitting the context".
 */
export const DraftSettings = z.object({
  continueAt: ContinueAt.default('ask'),
  followingText: FollowingText.default('auto'),
  fitMode: FitMode.default('auto'),
  stepChars: z.int().min(1).max(5000).default(100),
  offsetChars: z.int().min(0).max(100_000).default(4000),
  maxBodyChars: z.int().min(1).max(1_000_000).default(8000),
  outputTokensGenerate: z.int().min(1).max(10_000).default(500),
  outputTokensIdea: z.int().min(1).max(10_000).default(1500),
  /** The sampler preset of ideas; empty: that of prose. */
  ideaSamplerPresetId: z.string().max(200).default(''),
  promptOrder: z.enum(['reference_first', 'text_first']).default('reference_first'),
  noteHeader: z.enum(['default', 'legacy']).default('default'),
  defaultRating: z.enum(['general', 'r18']).default('general'),
  extendedCompleteness: z.boolean().default(false),
  limitBodyToOpenFile: z.boolean().default(false),
  banEosToken: z.boolean().default(true),
  /** Marks words of a take that the model considered unlikely; requests probabilities for it. */
  marksUncertain: z.boolean().default(false),
  /** The user's own, besides those of the template pack and of idea mode. */
  stopSequences: z.array(z.string().min(1)).max(32).default([]),
  bannedPhrases: z.array(z.string().min(1)).max(48).default([]),
  /** How much of the body's end is searched for keys of lore entries. Units: code points. */
  loreScanChars: z.int().min(100).max(100_000).default(4000),
  /** How much of the context window lore may take. Units: percent. */
  loreBudgetPercent: z.int().min(1).max(60).default(15),
  /** How much of it the summaries of earlier chapters may take. Units: percent. */
  storyBudgetPercent: z.int().min(1).max(60).default(15),
  /** The text of a matched entry may match other entries, one level deep. */
  loreRecursion: z.boolean().default(false),
  /** The author's own presets for rewriting a selection; null: those of `resources/prompts`. */
  rewrites: z.array(RewritePreset).max(100).nullable().default(null),
  transferMode: TransferMode.default('next_line_eol'),
  transferBlankLines: z.int().min(0).max(5).default(0),
  endlessGenerate: EndlessPrompt.default('immediate'),
  endlessIdea: EndlessPrompt.default('immediate'),
})
export type DraftSettings = z.infer<typeof DraftSettings>

export const defaultDraftSettings: DraftSettings = DraftSettings.parse({})

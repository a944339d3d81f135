import type { DraftAnchor } from '../../../shared/domain/drafting/draft-preview.ts'
import type { DraftSettings, SettledFitMode } from '../../../shared/domain/drafting/draft-settings.ts'
import type { BuiltPrompt, PromptFrame } from '../prompt/build-prompt.ts'
import type { RolledDraft } from '../prompt/roll-draft.ts'
import type { TokenCounter } from './token-meter.ts'

/** A draft and the room for its prompt. */
export type FitRequest = {
  frame: PromptFrame
  draft: RolledDraft
  settings: Pick<DraftSettings, 'stepChars' | 'offsetChars' | 'maxBodyChars'> & { fitMode: SettledFitMode }
  /** What the server or the profile says now; undefined is unknown. */
  contextTokens: number | undefined
  outputTokens: number
  counter: TokenCounter
  signal: AbortSignal
  /** Cache of the last fitting of this work with this model; saves counting what has hardly changed. */
  cache?: FitCache
  /** Anchor of the work; only for `anchored`. */
  anchor?: DraftAnchor
  /** Kept free by a moved anchor, for lore that later pages will add. Absent: the work has neither lore nor a story. */
  reservedTokens?: number
}

/** Measures of one fitting for the next. Keep it for one work and one model; drop it when either changes. */
export type FitCache = {
  body: string
  /** Code points of the prompt besides the body's. */
  restChars: number
  tokensPerChar: number
  restTokens: number
  /** The last returned cut: code points of the body that were kept, and the counted total. */
  kept?: { chars: number; tokens: number }
}

/** A prompt that may be sent: its own total was counted (or estimated, labelled) and is not above what is available. */
export type FittedPrompt = {
  prompt: BuiltPrompt
  totalTokens: number
  availableTokens: number
  contextTokens: number
  isEstimate: boolean
  /** Units: code points. */
  bodyChars: number
  keptChars: number
  /** True where less than half and under 2,500 characters are left: the author is told once per work. */
  isShortened: boolean
  /** Requests to the counter. */
  requestCount: number
  cache: FitCache | undefined
  /** To be stored with the work; `anchored` only. */
  anchor?: DraftAnchor
}

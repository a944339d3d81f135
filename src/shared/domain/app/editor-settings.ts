import { z } from 'zod'

/** Returns the schema for the typography of a page in one language. */
function pageSettings(lineHeight: number, measureEm: number) {
  return z.object({
    font: z.enum(['serif', 'sans', 'own']).default('serif'),
    /** The font family for `own`, by its name in the system. */
    fontFamily: z.string().max(200).default(''),
    fontSizePx: z.number().min(12).max(32).default(17),
    lineHeight: z.number().min(1.4).max(3).default(lineHeight),
    /** Longest line of the manuscript. Units: em. */
    measureEm: z.number().min(20).max(80).default(measureEm),
  })
}

/** The editor's typing aids. Each works only in text of its language. */
export const InputAids = z.object({
  /** The language whose aids are active: that of the text, or always the same one. */
  language: z.enum(['text', 'ja', 'en']).default('text'),
  /** 「 at a line's start removes the indent and inserts its closing bracket. */
  closesBrackets: z.boolean().default(true),
  /** A full-width space typed where Enter has just indented is not inserted again. */
  swallowsSpace: z.boolean().default(true),
  /** … and ― are inserted in pairs. */
  pairsDashes: z.boolean().default(true),
  /** Digits stay as typed, or become half or full width. */
  digits: z.enum(['typed', 'half', 'full']).default('typed'),
  smartQuotes: z.boolean().default(true),
  smartDashes: z.boolean().default(true),
})
export type InputAids = z.infer<typeof InputAids>

export const EditorSettings = z.object({
  /** Which page a text is set on: that of its own language, or always the same one. */
  page: z.enum(['text', 'ja', 'en']).default('text'),
  /** The page of Japanese text. */
  ja: pageSettings(2.05, 40).prefault({}),
  /** The page of all other text. */
  en: pageSettings(1.65, 36).prefault({}),
  isSpellchecked: z.boolean().default(false),
  aids: InputAids.prefault({}),
  /** Ruby readings are drawn above their words; at the caret the source notation is shown. */
  isRubyDrawn: z.boolean().default(true),
  /** The line of the caret stays in the middle of the page. */
  isTypewriter: z.boolean().default(false),
  /** Everything but the paragraph of the caret is dimmed. */
  isFocusMode: z.boolean().default(false),
  /** The vertical view scrolls continuously, or turns by whole pages. */
  verticalMode: z.enum(['continuous', 'paged']).default('continuous'),
})
export type EditorSettings = z.infer<typeof EditorSettings>
export type PageSettings = EditorSettings['ja']

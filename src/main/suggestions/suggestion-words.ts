import { join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import { SuggestionCues } from './tokenless-suggestions.ts'

const words = z.array(z.string().min(1)).min(1)

/**
 * The words by which the filter recognises texts that no person would type.
 *
 * Source: `resources/words/suggestions.json`; `docs/decisions/suggestions.md`, "The filter".
 */
export const SuggestionWords = z.object({
  done: words,
  meta: z.object({
    starts: words,
    alone: words,
    contains: words,
    only: z.string().min(1),
    /** A head, at most `distance` characters, and a tail. */
    negations: z.object({ heads: words, tails: words, distance: z.int().min(0) }),
  }),
  errors: words,
  labels: words,
  singleWords: words,
  /** Without their last full stop. */
  abbreviations: words,
  /** Before a digit only. */
  numberAbbreviations: words,
  praise: z.object({ openers: words, phrases: words, exceptions: words, connectives: words }),
  voice: z.object({
    phrases: words,
    /** Counts only with more text after it. */
    assent: words,
    endings: words,
    /** Endings of requests that look like those of a report. */
    requests: words,
  }),
})
export type SuggestionWords = z.infer<typeof SuggestionWords>

/** Errors: throws where the file is missing or has another shape. */
export async function loadSuggestionWords(resourcesDir: string): Promise<SuggestionWords> {
  return SuggestionWords.parse(await readWords(resourcesDir, 'suggestions.json'))
}

/** Errors: as `loadSuggestionWords`. */
export async function loadSuggestionCues(resourcesDir: string): Promise<SuggestionCues> {
  return SuggestionCues.parse(await readWords(resourcesDir, 'suggestion-cues.json'))
}

async function readWords(resourcesDir: string, name: string): Promise<unknown> {
  return JSON.parse(await readSmallText(join(resourcesDir, 'words', name)))
}

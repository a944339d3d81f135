import { join } from 'node:path'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import { SuggestionWords } from './suggestion-words.ts'
import { SuggestionCues } from './tokenless-suggestions.ts'

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

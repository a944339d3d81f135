import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SuggestionWords } from './suggestion-words.ts'

/** Errors: throws where the file is missing or has another shape. */
export async function loadSuggestionWords(resourcesDir: string): Promise<SuggestionWords> {
  const text = await readFile(join(resourcesDir, 'words', 'suggestions.json'), 'utf8')
  return SuggestionWords.parse(JSON.parse(text))
}

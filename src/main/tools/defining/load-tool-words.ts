import { join } from 'node:path'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import { ToolWords } from './tool-words.ts'

/** Errors: a broken installation throws. */
export async function loadToolWords(resourcesDir: string, language: 'ja' | 'en'): Promise<ToolWords> {
  const file = join(resourcesDir, 'prompts', language, 'tool-words.json')
  return ToolWords.parse(JSON.parse(await readSmallText(file)))
}

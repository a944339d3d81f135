import { join } from 'node:path'
import type { z } from 'zod'
import { ConsentWords } from '../agent/typed-consent.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import { DenialWords } from './gate-words.ts'
import { type FileKinds, FileLists, fileKinds } from './risk/file-kinds.ts'
import { CommandLists } from './rules/command-pattern.ts'

/** What the gates go by: lists and words, from `resources`. */
export type GateData = {
  kinds: FileKinds
  lists: CommandLists
  consentWords: ConsentWords
  denialWords: Record<'ja' | 'en', DenialWords>
}

/** Errors: a broken installation throws. */
export async function readGateData(resourcesDir: string): Promise<GateData> {
  const read = async <S extends z.ZodType>(schema: S, ...path: string[]): Promise<z.output<S>> =>
    schema.parse(JSON.parse(await readSmallText(join(resourcesDir, ...path))))
  const [files, lists, consentWords, ja, en] = await Promise.all([
    read(FileLists, 'consent', 'files.json'),
    read(CommandLists, 'consent', 'commands.json'),
    read(ConsentWords, 'words', 'consent.json'),
    read(DenialWords, 'prompts', 'ja', 'consent-words.json'),
    read(DenialWords, 'prompts', 'en', 'consent-words.json'),
  ])
  return { kinds: fileKinds(files), lists, consentWords, denialWords: { ja, en } }
}

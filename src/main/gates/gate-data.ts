import { join } from 'node:path'
import type { z } from 'zod'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import { DenialWords } from './gate-words.ts'
import { type FileKinds, FileLists, fileKinds } from './risk/file-kinds.ts'
import { CommandLists } from './rules/command-pattern.ts'

/** Data of the gates from `resources`: lists, and the words of denials. */
export type GateData = {
  kinds: FileKinds
  lists: CommandLists
  denialWords: Record<'ja' | 'en', DenialWords>
}

/** Errors: a broken installation throws. */
export async function readGateData(resourcesDir: string): Promise<GateData> {
  const read = async <S extends z.ZodType>(schema: S, ...path: string[]): Promise<z.output<S>> =>
    schema.parse(JSON.parse(await readSmallText(join(resourcesDir, ...path))))
  const [files, lists, ja, en] = await Promise.all([
    read(FileLists, 'consent', 'files.json'),
    read(CommandLists, 'consent', 'commands.json'),
    read(DenialWords, 'prompts', 'ja', 'consent-words.json'),
    read(DenialWords, 'prompts', 'en', 'consent-words.json'),
  ])
  return { kinds: fileKinds(files), lists, denialWords: { ja, en } }
}

import { join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import { type Denial, deniedBy } from './judge.ts'
import { type FileKinds, FileLists, fileKinds } from './risk/file-kinds.ts'
import { CommandLists } from './rules/command-pattern.ts'

const sentence = z.string().min(1)

/** The sentences that tell a model why a call was denied. Source: `resources/prompts/<lang>/consent-words.json`. */
const DenialWords = z.strictObject({
  rule: sentence.includes('{{detail}}'),
  executable: sentence.includes('{{detail}}'),
  untrusted: sentence,
  'plan-mode': sentence,
})
type DenialWords = z.infer<typeof DenialWords>

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

/** Returns the text of a denial for the model. Text that comes from a project is inserted as it is, on one line. */
export function denialText(words: DenialWords, by: Denial): string {
  const { denial, detail } = deniedBy(by)
  return words[denial].replace('{{detail}}', () => detail)
}

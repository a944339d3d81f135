import { join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import type { DraftTask } from './prompt/body-lines.ts'

const texts = <K extends string>(keys: readonly K[]) => z.record(z.enum(keys), z.string().min(1))

const TASKS = ['GEN_INFO', 'GEN_ZERO', 'CONT_INFO', 'CONT_ZERO', 'IDEA_INFO', 'IDEA_ZERO'] as const
const FIELDS = ['title', 'keywords', 'genres', 'synopsis', 'setting', 'plot', 'dialogueLevel'] as const
const LEVELS = ['few', 'rather-few', 'normal', 'rather-many', 'many'] as const

/**
 * All texts of ours that a model reads in a drafting prompt, in one language.
 *
 * Source: `resources/prompts/<lang>/draft-words.json`; the Japanese are those of *Novel prompts*.
 */
export const DraftWords = z.object({
  instructions: texts(TASKS satisfies readonly DraftTask[]),
  /** Stands after the instruction; `{{rating}}` is `general` or `r18`. */
  rating: z.string().includes('{{rating}}'),
  /** Names in headers, in the order in which prompts list them. */
  fields: texts(FIELDS),
  dialogueLevels: texts(LEVELS),
  /** For a server that only chats: `{{line}}` is the begun line that the answer goes on in. */
  unfinished: z.string().includes('{{line}}'),
  blocks: texts([
    'reference',
    'recentLore',
    'body',
    'following',
    'note',
    'legacyNote',
    'passage',
    'around',
    'request',
  ]),
  /** The instruction to lead up to the text after the caret. */
  following: z.string().min(1),
  rewrite: z.string().includes('{{instruction}}'),
  /** Header of the summaries of earlier chapters, among the fields. */
  story: z.string().min(1),
})
export type DraftWords = z.infer<typeof DraftWords>

/** Reads a file of `resources/prompts` in both languages. */
export async function readByLanguage<T>(resourcesDir: string, name: string, schema: z.ZodType<T>) {
  const read = async (language: 'ja' | 'en') => {
    const text = await readSmallText(join(resourcesDir, 'prompts', language, `${name}.json`))
    return schema.parse(JSON.parse(text))
  }
  const [ja, en] = await Promise.all([read('ja'), read('en')])
  return { ja, en }
}

import { join } from 'node:path'
import { z } from 'zod'
import type shared from '../../../../resources/prompts/en/tool-words.json'
import type rows from '../../../../resources/prompts/tools.json'
import { ToolName } from '../../../shared/domain/session/tool-name.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import { fillPlaces } from '../../prompts/fill-places.ts'

type Rows = typeof rows

/** A sentence for the model about a call or its result, of all tools or of one; `{{name}}` are places. */
export type ResultKey =
  | keyof (typeof shared)['results']
  | { [Name in keyof Rows]: keyof Rows[Name]['en']['results'] }[keyof Rows]

/** Kinds of problems with an argument, after zod's issue codes. */
export type IssueKey = keyof (typeof shared)['issues']

const text = z.string().min(1)

/** The sentences of all tools. Source: `resources/prompts/<lang>/tool-words.json`. */
const SharedWords = z.strictObject({
  results: z.record(text, text),
  issues: z.record(text, text),
  errors: z.looseObject({ other: text }).catchall(text),
})

/** A parameter's words are empty where its name says it all. */
const ToolRow = z.strictObject({
  description: text,
  parameters: z.record(text, z.string()),
  results: z.record(text, text),
})

/** The words of each tool, side by side in both languages. Source: `resources/prompts/tools.json`. */
const ToolRows = z.record(ToolName, z.strictObject({ ja: ToolRow, en: ToolRow }))

/** All texts of ours about tools that a model reads, in one language. */
export type ToolWords = {
  tools: Record<ToolName, Pick<z.infer<typeof ToolRow>, 'description' | 'parameters'>>
  results: Record<ResultKey, string>
  issues: Record<IssueKey, string>
  errors: z.infer<typeof SharedWords>['errors']
}

/** Errors: a broken installation throws. */
export async function loadToolWords(resourcesDir: string, language: 'ja' | 'en'): Promise<ToolWords> {
  const read = async (...path: string[]): Promise<unknown> =>
    JSON.parse(await readSmallText(join(resourcesDir, 'prompts', ...path)))
  const { issues, errors, results } = SharedWords.parse(await read(language, 'tool-words.json'))
  const rows = ToolRows.parse(await read('tools.json'))
  const tools = {} as ToolWords['tools']
  for (const name of ToolName.options) {
    tools[name] = rows[name][language]
    Object.assign(results, rows[name][language].results)
  }
  return { tools, results, issues, errors } as ToolWords
}

export type Places = Readonly<Record<string, string | number>>

/** Returns a sentence that tells the model what went wrong with a file. */
export function errorSentence({ errors }: ToolWords, info: ErrorInfo): string {
  return fillPlaces(errors[info.code] ?? errors.other, { ...info })
}

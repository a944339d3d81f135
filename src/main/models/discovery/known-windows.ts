import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

const Table = z.object({
  windows: z.array(z.object({ begins: z.string().min(1), tokens: z.int().positive() })),
})

/** Returns the context window that a model of this name is known to have. Units: tokens. Null: not in the table. */
export type WindowOfName = (model: string) => number | null

/** Reads the table of context windows by the names of models, for servers that do not tell them. */
export async function loadKnownWindows(file: string): Promise<WindowOfName> {
  const { windows } = Table.parse(JSON.parse(await readSmallText(file)))
  const longestFirst = windows.toSorted((left, right) => right.begins.length - left.begins.length)
  return (model) => {
    const name = bareName(model)
    return longestFirst.find(({ begins }) => isOf(name, begins))?.tokens ?? null
  }
}

/** Without whose it is and how it is served: `meta-llama/Meta-Llama-3.1-8B-Instruct:free` is `llama-3.1-8b-instruct`. */
function bareName(model: string): string {
  const last = model.split('/').at(-1) ?? ''
  return last
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/^meta-/, '')
}

/** `o1` is not `o13b`, and `gpt-4` not `gpt-4o`. */
function isOf(name: string, begins: string): boolean {
  return name === begins || (name.startsWith(begins) && !/^[a-z0-9]/.test(name.slice(begins.length)))
}

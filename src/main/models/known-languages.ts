import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const Catalogue = z.object({
  starters: z.array(z.object({ file: z.string(), languages: z.array(z.string()) })),
})

/** What the model catalogue says of the languages of its files, by file name; most files say nothing themselves. */
export async function loadKnownLanguages(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { starters } = Catalogue.parse(JSON.parse(await readFile(file, 'utf8')))
  return new Map(starters.map((starter) => [starter.file, starter.languages]))
}

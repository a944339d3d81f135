import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

/** A model file in the catalogue. Most files have little information about themselves. */
const KnownModel = z.object({ file: z.string(), name: z.string(), languages: z.array(z.string()) })
type KnownModel = z.infer<typeof KnownModel>

const ListedModel = z.object({ hf: z.string(), name: z.string(), languages: z.array(z.string()) })
const Catalogue = z.object({ starters: z.array(KnownModel), models: z.array(ListedModel) })
const Table = z.object({
  windows: z.array(z.object({ begins: z.string().min(1), tokens: z.int().positive() })),
  images: z.array(z.string().min(1)),
})

/** Loads the catalogue's models by file name. Their names tell what users must know ("English only") everywhere. */
export async function loadKnownModels(file: string): Promise<ReadonlyMap<string, Partial<KnownModel>>> {
  const { starters, models } = Catalogue.parse(JSON.parse(await readSmallText(file)))
  const listed = models.map(({ hf, ...model }) => ({ ...model, file: hf.slice(hf.lastIndexOf('/') + 1) }))
  return new Map([...starters, ...listed].map((model) => [model.file, model]))
}

/** Looks facts about models up by their names. */
export type FactsByName = Awaited<ReturnType<typeof loadKnownWindows>>

/** Loads what is known by the names of models, for servers that do not tell it: context windows, and image input. */
export async function loadKnownWindows(file: string) {
  const { windows, images } = Table.parse(JSON.parse(await readSmallText(file)))
  const longestFirst = windows.toSorted((left, right) => right.begins.length - left.begins.length)
  return {
    /** Returns the context window that a model of this name is known to have. Units: tokens. Null: not in the table. */
    windowOfName(model: string): number | null {
      const name = bareName(model)
      return longestFirst.find(({ begins }) => isOf(name, begins))?.tokens ?? null
    },
    /** Returns true where a model of this name is known to take images. */
    namesImages: (model: string) => images.some((begins) => isOf(bareName(model), begins)),
  }
}

/** Returns a name without owner and variant: `meta-llama/Meta-Llama-3.1-8B-Instruct:free` → `llama-3.1-8b-instruct`. */
function bareName(model: string): string {
  const last = model.split('/').at(-1) ?? ''
  return last
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/^meta-/, '')
}

/** True where a name begins with whole words of another: `o1` is not `o13b`, and `gpt-4` not `gpt-4o`. */
function isOf(name: string, begins: string): boolean {
  return name === begins || (name.startsWith(begins) && !/^[a-z0-9]/.test(name.slice(begins.length)))
}

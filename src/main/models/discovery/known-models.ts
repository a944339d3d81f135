import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

/** A model file in the catalogue. Most files have little information about themselves. */
const KnownModel = z.object({ file: z.string(), name: z.string(), languages: z.array(z.string()) })
export type KnownModel = z.infer<typeof KnownModel>

const ListedModel = z.object({ hf: z.string(), name: z.string(), languages: z.array(z.string()) })

const Catalogue = z.object({ starters: z.array(KnownModel), models: z.array(ListedModel) })

/** Loads the catalogue's models by file name. Their names tell what users must know ("English only") everywhere. */
export async function loadKnownModels(file: string): Promise<ReadonlyMap<string, KnownModel>> {
  const { starters, models } = Catalogue.parse(JSON.parse(await readSmallText(file)))
  const listed = models.map(({ hf, ...model }) => ({ ...model, file: hf.slice(hf.lastIndexOf('/') + 1) }))
  return new Map([...starters, ...listed].map((model) => [model.file, model]))
}

import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

/** What the catalogue knows of a model file: most files say little of themselves. */
const KnownModel = z.object({ file: z.string(), name: z.string(), languages: z.array(z.string()) })
export type KnownModel = z.infer<typeof KnownModel>

const ListedModel = z.object({ hf: z.string(), name: z.string(), languages: z.array(z.string()) })

const Catalogue = z.object({ starters: z.array(KnownModel), models: z.array(ListedModel) })

/** The models of the catalogue by file name. Their names say what matters ("English only") wherever they are seen. */
export async function loadKnownModels(file: string): Promise<ReadonlyMap<string, KnownModel>> {
  const { starters, models } = Catalogue.parse(JSON.parse(await readSmallText(file)))
  const listed = models.map(({ hf, ...model }) => ({ ...model, file: hf.slice(hf.lastIndexOf('/') + 1) }))
  return new Map([...starters, ...listed].map((model) => [model.file, model]))
}

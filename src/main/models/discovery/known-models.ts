import { z } from 'zod'
import { readSmallText } from '../../platform/read-regular-file.ts'

/** What the catalogue knows of a model file: most files say little of themselves. */
const KnownModel = z.object({ file: z.string(), name: z.string(), languages: z.array(z.string()) })
export type KnownModel = z.infer<typeof KnownModel>

const Catalogue = z.object({ starters: z.array(KnownModel) })

/** The models of the catalogue by file name. Their names say what matters ("English only") wherever they are seen. */
export async function loadKnownModels(file: string): Promise<ReadonlyMap<string, KnownModel>> {
  const { starters } = Catalogue.parse(JSON.parse(await readSmallText(file)))
  return new Map(starters.map((starter) => [starter.file, starter]))
}

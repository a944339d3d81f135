import { join } from 'node:path'
import { z } from 'zod'
import { CatalogueModel } from '../../../shared/domain/model/model-catalogue.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

const fileName = 'model-catalogue.json'
const List = z.object({ models: z.array(CatalogueModel).max(500) })

/**
 * Reads the app's list, then the user's own `model-catalogue.json` in the data folder, whose entries come after the
 * app's and replace those with the same id.
 *
 * Shape: where the user's list cannot be read only the app's is returned, with the reason in `problem`.
 */
export async function readCatalogue(
  resourcesDir: string,
  dataDir: string,
): Promise<{ models: CatalogueModel[]; problem: string | null }> {
  const shipped = List.parse(JSON.parse(await readSmallText(join(resourcesDir, fileName)))).models
  try {
    const own = List.parse(JSON.parse(await readSmallText(join(dataDir, fileName)))).models
    const replaced = new Set(own.map(({ modelId }) => modelId))
    return { models: [...shipped.filter(({ modelId }) => !replaced.has(modelId)), ...own], problem: null }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { models: shipped, problem: null }
    return { models: shipped, problem: problemOf(error) }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues
    return issue === undefined ? 'models' : `${issue.path.join('.')}: ${issue.message}`
  }
  return error instanceof Error ? error.message : String(error)
}

/** Returns the name of a model's file on this machine. */
export function fileOf({ hf }: Pick<CatalogueModel, 'hf'>): string {
  return hf.slice(hf.lastIndexOf('/') + 1).replace(/#.*$/, '')
}

import type { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import { parametersInName } from '../../shared/text/model-name.ts'

/** Below this size, a model hardly follows an instruction. Units: billions of parameters. */
const leastParameters = 1

/**
 * Returns the size of a model that the server's name for it, its file or its profile tells; null where none does.
 *
 * Units: billions of parameters.
 */
export function parametersOf(profile: ModelProfile | undefined, modelName: string | null): number | null {
  const names = [modelName, profile?.backend === 'embedded' ? profile.file : null, profile?.name]
  const [parameters] = names.flatMap((name) => parametersInName(name ?? '') ?? [])
  return parameters ?? null
}

/** Returns whether a model is known to be too small for instructions, as most starter models are. */
export function isTinyModel(profile: ModelProfile | undefined, modelName: string | null): boolean {
  const parameters = parametersOf(profile, modelName)
  return profile?.backend !== 'demo' && parameters !== null && parameters < leastParameters
}

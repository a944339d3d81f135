import {
  type CatalogueModel,
  type CatalogueStatus,
  misfitOf,
} from '../../../shared/domain/model/model-catalogue.ts'
import type { FoundModel } from '../../../shared/domain/model/model-found.ts'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { ModelStatus } from '../../../shared/domain/model/model-status.ts'
import { parametersInName } from '../../../shared/text/model-name.ts'
import { parametersOf } from '../../state/model-words.ts'

/**
 * The suitability of a model for a session. `prose`: it only continues text. `tiny`, `small`: too few parameters for
 * many, or for long, tasks. `unknown`: nothing tells its size, nor that it calls tools.
 */
export type SessionFit = 'demo' | 'prose' | 'tiny' | 'small' | 'able' | 'unknown'

/** Below, most calls of a session fail; below the second, long tasks do. Units: billions of parameters. */
const leastParameters = { answers: 3, tasks: 7 }

export function sessionFit(
  { isDemo, modelName, canCallTools }: Pick<ModelStatus, 'isDemo' | 'modelName' | 'canCallTools'>,
  profile: ModelProfile | undefined,
): SessionFit {
  if (isDemo) return 'demo'
  const parameters = parametersOf(profile, modelName)
  if (parameters && parameters < leastParameters.answers) return 'tiny'
  // A server that speaks OpenAI's API wraps a conversation itself.
  if (profile && profile.backend !== 'openai' && profile.templateId === 'plain') return 'prose'
  if (parameters) return parameters < leastParameters.tasks ? 'small' : 'able'
  return canCallTools ? 'able' : 'unknown'
}

/** Returns the models of the catalogue that can work in a session and fit this machine; the most capable first. */
export function capableModels(status: CatalogueStatus | null): CatalogueModel[] {
  if (status === null) return []
  return status.models
    .filter(({ uses, parameters }) => uses.includes('tools') && parameters >= leastParameters.answers)
    .filter((model) => {
      const misfit = misfitOf(
        model,
        status.downloads.find(({ modelId }) => modelId === model.modelId),
        status,
      )
      return !misfit.memory && !misfit.disk
    })
    .toSorted((a, b) => b.parameters - a.parameters)
}

/** Returns the other models that were found on this machine: servers, and files that are large enough. */
export function otherModels(
  found: readonly FoundModel[] | null,
  profile: ModelProfile | undefined,
): FoundModel[] {
  return (found ?? []).filter((model) => {
    if (model.backend === 'embedded')
      return (
        !(profile?.backend === 'embedded' && profile.file === model.file) &&
        (parametersInName(model.modelName) ?? parametersInName(model.file) ?? 0) >= leastParameters.answers
      )
    return !(profile !== undefined && 'address' in profile && profile.address === model.address)
  })
}

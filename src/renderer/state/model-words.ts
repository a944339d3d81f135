import type { FoundModel } from '../../shared/domain/model/model-found.ts'
import type { ModelChoice, ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { ModelStatus } from '../../shared/domain/model/model-status.ts'
import type { Translate } from '../../shared/i18n/translate.ts'
import { parametersInName } from '../../shared/text/model-name.ts'

/** Returns the model in use and, where it is not ready, what it does. */
export function modelText(t: Translate, status: ModelStatus): string {
  if (status.state === 'none') return t('model.state.none')
  const name = status.isDemo ? t('model.demo') : (status.modelName ?? status.profileName ?? '')
  return status.state === 'ready' ? name : `${name} · ${t(`model.state.${status.state}`)}`
}

/** Returns the models that can be chosen of what was found; none where a server wants its key first. */
export function modelsOf(found: FoundModel): { name: string | null; choice: ModelChoice }[] {
  if (found.backend !== 'embedded') return found.models
  return [{ name: found.modelName, choice: { backend: 'embedded', file: found.file } }]
}

/** Below this size, a model hardly follows an instruction. Units: billions of parameters. */
const leastParameters = 1

/** Returns the size that the server's name, file or profile tells. Units: billions of parameters; or null. */
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

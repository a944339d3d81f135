import type { FoundModel } from '../../shared/domain/model/model-found.ts'
import type { ModelStatus } from '../../shared/domain/model/model-status.ts'
import type { Translate } from '../../shared/i18n/translate.ts'
import type { ModelChoice } from './slices/models-slice.ts'

/** The model in use and, where it is not ready, what it does. */
export function modelText(t: Translate, status: ModelStatus): string {
  if (status.state === 'none') return t('model.state.none')
  const name = status.isDemo ? t('model.demo') : (status.modelName ?? status.profileName ?? '')
  return status.state === 'ready' ? name : `${name} · ${t(`model.state.${status.state}`)}`
}

/** Returns the choice of a found model; null where nothing can be chosen yet. */
export function choiceOf(found: FoundModel, model: string | undefined): ModelChoice | null {
  if (found.backend === 'embedded') return { backend: 'embedded', file: found.file }
  const { address } = found
  if (found.backend === 'koboldcpp') return { backend: 'koboldcpp', address }
  return model === undefined ? null : { backend: 'openai', address, model, flavour: found.flavour }
}

import type { ModelStatus } from '../../shared/domain/model/model-status.ts'
import type { Translate } from '../../shared/i18n/translate.ts'

/** The model in use and, where it is not ready, what it does. */
export function modelText(t: Translate, status: ModelStatus): string {
  if (status.state === 'none') return t('model.state.none')
  const name = status.isDemo ? t('model.demo') : (status.modelName ?? status.profileName ?? '')
  return status.state === 'ready' ? name : `${name} · ${t(`model.state.${status.state}`)}`
}

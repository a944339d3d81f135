import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { isTinyModel } from '../../state/model-size.ts'

/** Says why a model may continue better from text alone: it knows no instructions, or is too small to follow them. */
export function textOnlyReason(
  profile: ModelProfile | undefined,
  modelName: string | null,
): 'base' | 'small' | null {
  if (profile === undefined || profile.backend === 'demo') return null
  if (profile.templateId === 'plain') return 'base'
  return isTinyModel(profile, modelName) ? 'small' : null
}

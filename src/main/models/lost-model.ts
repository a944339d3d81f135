import type { ModelProfile } from '../../shared/domain/model-profile.ts'
import type { ModelStatus } from '../../shared/domain/model-status.ts'
import type { ErrorInfo } from '../../shared/errors.ts'

/** Whether a model that answered, or should have, is not to be had at present. */
export function isLost({ state }: ModelStatus): boolean {
  return state === 'unreachable' || state === 'crashed'
}

/** Whether a failure came from asking a model, whatever it says. */
export function isOfModel({ code }: ErrorInfo): boolean {
  return code.startsWith('model/') || code === 'tokens/unreachable'
}

/** Whether a failure by itself says that this very profile's model is lost. */
export function meansLost(error: ErrorInfo, profile: ModelProfile): boolean {
  switch (error.code) {
    case 'model/unreachable':
    case 'model/unauthorized':
      return profile.backend === 'koboldcpp' && error.address === profile.address
    case 'model/bad-file':
      return profile.backend === 'embedded' && error.path === profile.file
    case 'model/engine-crashed':
      return profile.backend === 'embedded' && error.modelFile === profile.file
    default:
      return false
  }
}

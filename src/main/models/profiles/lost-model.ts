import type {
  KoboldProfile,
  ModelProfile,
  OpenaiProfile,
} from '../../../shared/domain/model/model-profile.ts'
import type { ModelStatus } from '../../../shared/domain/model/model-status.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'

type ServedProfile = KoboldProfile | OpenaiProfile

/** Whether a model that answered, or should have, is not to be had at present. */
export function isLost({ state }: ModelStatus): boolean {
  return state === 'unreachable' || state === 'crashed'
}

/** Whether a failure came from asking a model, whatever it says. */
export function isOfModel({ code }: ErrorInfo): boolean {
  return code.startsWith('model/') || code === 'tokens/unreachable'
}

/** Whether it is asked over the network: it may come and go by itself. */
export function isServed(profile: ModelProfile): profile is ServedProfile {
  return profile.backend === 'koboldcpp' || profile.backend === 'openai'
}

/** Whether a failure by itself says that this very profile's model is lost. */
export function meansLost(error: ErrorInfo, profile: ModelProfile): boolean {
  switch (error.code) {
    case 'model/unreachable':
    case 'model/unauthorized':
      return isServed(profile) && originOf(error.address) === originOf(profile.address)
    case 'model/bad-file':
      return profile.backend === 'embedded' && error.path === profile.file
    case 'model/engine-crashed':
      return profile.backend === 'embedded' && error.modelFile === profile.file
    default:
      return false
  }
}

/** An address may have a path and a slash at its end, which a failed connection does not know. */
function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address
}

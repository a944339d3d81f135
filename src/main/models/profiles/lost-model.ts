import type {
  KoboldProfile,
  ModelProfile,
  OpenaiProfile,
} from '../../../shared/domain/model/model-profile.ts'
import type { ModelStatus } from '../../../shared/domain/model/model-status.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'

type ServedProfile = KoboldProfile | OpenaiProfile

/** True where a model is not available at present: its server does not answer, or its engine has crashed. */
export function isLost({ state }: ModelStatus): boolean {
  return state === 'unreachable' || state === 'crashed'
}

/** True where an error came from a request to a model. */
export function isOfModel({ code }: ErrorInfo): boolean {
  return code.startsWith('model/') || code === 'tokens/unreachable'
}

/** True where a model is used over the network, so that it may come and go by itself. */
export function isServed(profile: ModelProfile): profile is ServedProfile {
  return profile.backend === 'koboldcpp' || profile.backend === 'openai'
}

/** True where an error by itself means that this profile's model is lost. */
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

/** Returns an address without path and trailing slash, which the error of a failed connection does not have. */
function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address
}

/** Returns the name to show: a server may have changed its model; a file's profile keeps its name. */
export function nameOf(profile: ModelProfile, served: string | null): string {
  return isServed(profile) && served !== null ? shownModelName(served) : profile.name
}

/** Returns the address of a server; the name of any other model. */
export function addressOf(profile: ModelProfile): string {
  return isServed(profile) ? profile.address : profile.name
}

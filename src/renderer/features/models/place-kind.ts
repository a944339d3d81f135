import type { Backend, OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'

/** Returns what serves models at a place: the server's own name where it is known, else the kind of backend. */
export function placeKind(place: {
  backend: Backend
  flavour?: OpenaiFlavour | undefined
}): Extract<MessageKey, `backend.${string}` | `flavour.${string}`> {
  return place.flavour === undefined ? `backend.${place.backend}` : `flavour.${place.flavour}`
}

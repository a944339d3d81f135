import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { type ModelStatus, noModel } from '../../../shared/domain/model/model-status.ts'
import { AppError, type ErrorInfo } from '../../../shared/errors.ts'
import type { Clock, Log } from '../../deps.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import { isDeepStrictEqual } from '../../platform/node/late-node.ts'
import type { ModelDescription } from '../client/model-client.ts'
import type { ActiveModel } from './active-model.ts'
import { isServed } from './model-profiles.ts'

/** How often a server that does not answer is asked again while a window shows it. */
const retryMs = 10_000

/**
 * Creates the status of the model in use, for all watchers; it begins with no model. While a server is unreachable and there are watchers, `askAgain` is called
 * at intervals; its result is expected by `tell`. It is not called for an engine, which it would start.
 */
export function createStatusBoard(deps: { clock: Clock }, askAgain: () => void) {
  const changes = createBroadcast<ModelStatus>()
  let status = noModel
  let watchers = 0
  let timer: { cancel(): void } | undefined

  function wait(): void {
    timer?.cancel()
    const isWaiting = watchers > 0 && status.state === 'unreachable' && status.backend !== 'embedded'
    timer = isWaiting ? deps.clock.setTimeout(askAgain, retryMs) : undefined
  }

  return {
    now: () => status,
    tell(next: ModelStatus) {
      const isNews = !isDeepStrictEqual(next, status)
      status = next
      if (isNews) changes.send(next)
      wait()
    },
    /** Yields the status now, then after each change. */
    async *watch(signal: AbortSignal): AsyncGenerator<ModelStatus, void, void> {
      const later = changes.subscribe(signal)
      watchers += 1
      wait()
      try {
        yield status
        yield* later
      } finally {
        watchers -= 1
        wait()
      }
    },
    /** Ends every watch. */
    end() {
      watchers = 0
      timer?.cancel()
      changes.end()
    },
  }
}

export function startingStatus(profile: ModelProfile): ModelStatus {
  return {
    ...noModel,
    state: 'starting',
    profileId: profile.id,
    profileName: profile.name,
    backend: profile.backend,
    isDemo: profile.backend === 'demo',
  }
}

/** Returns the status of a model that has answered. */
export function readyStatus(
  profile: ModelProfile,
  modelName: string,
  description: ModelDescription,
  { client, languages }: Pick<ActiveModel, 'client' | 'languages'>,
): ModelStatus {
  const { capabilities } = client
  return {
    ...startingStatus(profile),
    state: 'ready',
    modelName,
    contextTokens: description.context?.tokens ?? null,
    contextSource: description.context?.source ?? null,
    isEstimateOnly: client.countTokens === null,
    canBanPhrases: capabilities.canBanPhrases === true,
    tellsChances: capabilities.tellsChances === true,
    canBanEnd: capabilities.canBanEnd === true,
    canCallTools: capabilities.hasTools,
    ...(capabilities.samplers && { samplers: [...capabilities.samplers] }),
    canTakeImages: capabilities.hasImages === true,
    languages: [...languages],
  }
}

export function lostStatus(profile: ModelProfile, error: ErrorInfo): ModelStatus {
  const state = error.code === 'model/engine-crashed' ? 'crashed' : 'unreachable'
  return { ...startingStatus(profile), state, error }
}

/** Returns why a model could not be asked; an error that is none of the model's is logged as a bug. */
export function lossOf(error: unknown, log: Log): ErrorInfo {
  return error instanceof AppError
    ? error.info
    : { code: 'internal/bug', logId: log.bug(error, 'model.describe') }
}

/** True where a model is not available at present: its server does not answer, or its engine has crashed. */
export function isLost({ state }: ModelStatus): boolean {
  return state === 'unreachable' || state === 'crashed'
}

/** True where an error came from a request to a model. */
export function isOfModel({ code }: ErrorInfo): boolean {
  return code.startsWith('model/') || code === 'tokens/unreachable'
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

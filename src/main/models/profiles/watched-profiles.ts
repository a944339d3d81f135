import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { createBroadcast } from '../../platform/broadcast.ts'

/** The store of profiles. */
export type KeptProfiles = {
  list(): ModelProfile[]
  get(profileId: string): ModelProfile | undefined
  save(profile: ModelProfile): void
  remove(profileId: string): void
}

export type WatchedProfiles = KeptProfiles & {
  /** Yields all profiles now, and again after each change by anyone. */
  watch(signal: AbortSignal): AsyncGenerator<{ profiles: ModelProfile[] }, void, void>
  end(): void
}

/** Adds notifications of changes to a store of profiles, so that each window has the present list. */
export function watchedProfiles(kept: KeptProfiles): WatchedProfiles {
  const changed = createBroadcast<true>()
  return {
    list: () => kept.list(),
    get: (profileId) => kept.get(profileId),
    save(profile) {
      kept.save(profile)
      changed.send(true)
    },
    remove(profileId) {
      kept.remove(profileId)
      changed.send(true)
    },
    async *watch(signal) {
      const changes = changed.subscribe(signal)
      yield { profiles: kept.list() }
      for await (const _change of changes) yield { profiles: kept.list() }
    },
    end: () => changed.end(),
  }
}

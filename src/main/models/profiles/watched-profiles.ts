import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { createBroadcast } from '../../platform/broadcast.ts'

/** Where profiles are kept. */
export type KeptProfiles = {
  list(): ModelProfile[]
  get(profileId: string): ModelProfile | undefined
  save(profile: ModelProfile): void
  remove(profileId: string): void
}

export type WatchedProfiles = KeptProfiles & {
  /** All of them, again after each change, whoever made it. */
  watch(signal: AbortSignal): AsyncGenerator<{ profiles: ModelProfile[] }, void, void>
  end(): void
}

/** The same profiles, told about when they change: each window has the list as it is. */
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

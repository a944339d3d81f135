import { z } from 'zod'
import { isAppError } from '../../shared/errors.ts'
import type { SettingRepository } from '../store/setting-repository.ts'

/** The last measurement for each model profile. */
export type Measures = {
  get(profileId: string): number | undefined
  set(profileId: string, value: number): void
  delete(profileId: string): void
}

/** Most profiles that are remembered; those measured last are kept. */
const limitProfiles = 100
const Kept = z.array(z.tuple([z.string(), z.number()]))

/** Returns measures that are kept under a name for the next host. While the disk is full, only this host has them. */
export function keptMeasures(settings: Pick<SettingRepository, 'get' | 'set'>, name: string): Measures {
  const measures = new Map(Kept.safeParse(settings.get(name)).data)
  const keep = () => {
    try {
      settings.set(name, [...measures].slice(-limitProfiles))
    } catch (error) {
      if (!isAppError(error, 'file/disk-full')) throw error
    }
  }
  return {
    get: (profileId) => measures.get(profileId),
    set(profileId, value) {
      if (measures.get(profileId) === value) return
      measures.delete(profileId)
      measures.set(profileId, value)
      keep()
    },
    delete(profileId) {
      if (measures.delete(profileId)) keep()
    },
  }
}

import { z } from 'zod'
import type { SettingRepository } from './setting-repository.ts'

const key = 'hosts'
/** Most hosts of this data folder that are remembered. */
const limitHosts = 500

/**
 * Notes this host and returns the earlier ones of the data folder. All of them have ended: a data folder has one host
 * at a time.
 */
export function noteHost(settings: SettingRepository, hostId: string): Set<string> {
  const earlier = z.array(z.string()).safeParse(settings.get(key)).data ?? []
  settings.set(key, [...earlier.filter((id) => id !== hostId), hostId].slice(-limitHosts))
  return new Set(earlier.filter((id) => id !== hostId))
}

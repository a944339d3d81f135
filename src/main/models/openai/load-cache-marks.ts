import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import type { CacheMarksOf } from './cache-marks.ts'

const Service = z.strictObject({
  /** Names of hosts; `*` stands for any part of one. */
  hosts: z.array(z.string().regex(/^[a-z0-9.*-]+$/)).min(1),
  /** Prefixes of the model ids whose requests need cache marks. Absent: all models of the service need them. */
  models: z.array(z.string().min(1)).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  hasCacheMarks: z.literal(true).optional(),
  cacheKeyField: z.string().optional(),
})
const Table = z.strictObject({ services: z.array(Service) })

/** Reads the table of services that keep a prompt only where a request asks for it. */
export async function loadCacheMarks(file: string): Promise<CacheMarksOf> {
  const { services } = Table.parse(JSON.parse(await readSmallText(file)))
  return (address, model) => {
    const { hostname } = new URL(address)
    const found = services.find(
      ({ hosts, models }) =>
        hosts.some((host) => hostPattern(host).test(hostname)) &&
        (models === undefined || models.some((begins) => model.startsWith(begins))),
    )
    if (found === undefined) return {}
    const { headers, hasCacheMarks, cacheKeyField } = found
    return { headers, hasCacheMarks, cacheKeyField }
  }
}

function hostPattern(host: string): RegExp {
  return new RegExp(`^${host.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9.-]+')}$`)
}

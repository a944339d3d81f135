import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/** JSON values by name; the caller's schema checks them. A value that cannot be read counts as not set. */
export type SettingRepository = ReturnType<typeof createSettingRepository>

const Row = z.object({ value: jsonOf(z.unknown()) })

export function createSettingRepository(db: Db, read = createRowReaders()) {
  const rows = read('settings', Row)
  const select = db.prepare<[string]>('SELECT key, value FROM settings WHERE key = ?')
  const upsert = db.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM settings WHERE key = ?')
  return {
    get: (key: string): unknown => rows.all(select.all(key))[0]?.value,
    set: (key: string, value: unknown): void => void upsert.run(key, JSON.stringify(value)),
    remove: (key: string): void => void remove.run(key),
  }
}

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

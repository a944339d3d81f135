import { z } from 'zod'
import type { Db } from './database.ts'
import { createRowReaders, jsonOf } from './stored-rows.ts'

/** JSON values by name; the caller's schema checks them. A value that cannot be read counts as not set. */
export type SettingRepository = {
  get(key: string): unknown
  set(key: string, value: unknown): void
  remove(key: string): void
}

const Row = z.object({ value: jsonOf(z.unknown()) })

export function createSettingRepository(db: Db, read = createRowReaders()): SettingRepository {
  const rows = read('settings', Row)
  const select = db.prepare<[string]>('SELECT key, value FROM settings WHERE key = ?')
  const upsert = db.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM settings WHERE key = ?')
  return {
    get(key) {
      const row = select.get(key)
      return row === undefined ? undefined : rows.one(row)?.value
    },
    set: (key, value) => void upsert.run(key, JSON.stringify(value)),
    remove: (key) => void remove.run(key),
  }
}

import type { Db } from './database.ts'
import { storedJson } from './stored-json.ts'

/** JSON values by name; the caller's schema says what they are. What cannot be read counts as not set. */
export type SettingRepository = {
  get(key: string): unknown
  set(key: string, value: unknown): void
  remove(key: string): void
}

export function createSettingRepository(db: Db): SettingRepository {
  const select = db.prepare<[string], { value: string }>('SELECT value FROM settings WHERE key = ?')
  const upsert = db.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare('DELETE FROM settings WHERE key = ?')
  return {
    get(key) {
      const row = select.get(key)
      return row === undefined ? undefined : storedJson(row.value)
    },
    set: (key, value) => void upsert.run(key, JSON.stringify(value)),
    remove: (key) => void remove.run(key),
  }
}

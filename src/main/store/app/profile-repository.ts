import { z } from 'zod'
import { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

const Row = z.object({ value: jsonOf(ModelProfile) })

/** Keeps model profiles in the user's order. Their API keys are in the host's secret store. */
export function createProfileRepository(db: Db, read = createRowReaders()) {
  const rows = read('profiles', Row)
  const all = db.prepare('SELECT id, value FROM profiles ORDER BY position')
  const select = db.prepare<[string]>('SELECT id, value FROM profiles WHERE id = ?')
  const upsert = db.prepare(
    `INSERT INTO profiles (id, position, value)
     VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM profiles), ?)
     ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
  )
  const remove = db.prepare('DELETE FROM profiles WHERE id = ?')
  return {
    list: (): ModelProfile[] => rows.all(all.all()).map(({ value }) => value),
    get: (profileId: string): ModelProfile | undefined => rows.all(select.all(profileId))[0]?.value,
    /** Adds at the end, or changes in place. */
    save: (profile: ModelProfile): void => void upsert.run(profile.id, JSON.stringify(profile)),
    remove: (profileId: string): void => void remove.run(profileId),
  }
}

import { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { Db } from './database.ts'
import { storedJson } from './stored-json.ts'

/** Model profiles in the user's order. Keys are not here but in the host's secret store. */
export type ProfileRepository = {
  list(): ModelProfile[]
  get(profileId: string): ModelProfile | undefined
  /** Adds at the end, or changes in place. */
  save(profile: ModelProfile): void
  remove(profileId: string): void
}

export function createProfileRepository(db: Db): ProfileRepository {
  const all = db.prepare<[], { value: string }>('SELECT value FROM profiles ORDER BY position')
  const select = db.prepare<[string], { value: string }>('SELECT value FROM profiles WHERE id = ?')
  const upsert = db.prepare(
    `INSERT INTO profiles (id, position, value)
     VALUES (?, (SELECT coalesce(max(position), 0) + 1 FROM profiles), ?)
     ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
  )
  const remove = db.prepare('DELETE FROM profiles WHERE id = ?')
  // A profile that another version wrote and this one cannot read is passed over, not deleted.
  const parse = (value: string): ModelProfile | undefined => ModelProfile.safeParse(storedJson(value)).data
  return {
    list: () =>
      all
        .all()
        .map((row) => parse(row.value))
        .filter((profile) => profile !== undefined),
    get(profileId) {
      const row = select.get(profileId)
      return row === undefined ? undefined : parse(row.value)
    },
    save: (profile) => void upsert.run(profile.id, JSON.stringify(profile)),
    remove: (profileId) => void remove.run(profileId),
  }
}

import { z } from 'zod'
import { RecentWork, TextPlace } from '../../../shared/domain/work/work.ts'
import type { Random } from '../../deps.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

export type StoredWork = { workId: string; root: string; name: string; lastPath: string | null }

/**
 * The folders that were opened as works, and small state of each by name: the anchor, token figures, the
 * caret. None of the author's own data is stored only here.
 */
export type WorkRepository = ReturnType<typeof createWorkRepository>

const Row = z.object({
  id: z.string(),
  root: z.string(),
  name: z.string(),
  last_path: z.string().nullable().catch(null),
})
const StateRow = z.object({ value: jsonOf(z.unknown()) })

export function createWorkRepository(db: Db, random: Random, read = createRowReaders()) {
  const rows = read('works', Row)
  const states = read('work_state', StateRow)
  const recents = read('works', RecentWork)
  const upsert = db.prepare(
    `INSERT INTO works (id, root, name, opened_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (root) DO UPDATE SET name = excluded.name, opened_at = excluded.opened_at, is_listed = 1`,
  )
  const byRoot = db.prepare<[string]>('SELECT id, root, name, last_path FROM works WHERE root = ?')
  const byId = db.prepare<[string]>('SELECT id, root, name, last_path FROM works WHERE id = ?')
  const rename = db.prepare('UPDATE works SET name = ? WHERE id = ?')
  const setLastPath = db.prepare('UPDATE works SET last_path = ? WHERE id = ?')
  const recent = db.prepare(
    'SELECT root, name, opened_at AS openedAt FROM works WHERE is_listed = 1 ORDER BY opened_at DESC',
  )
  const forget = db.prepare('UPDATE works SET is_listed = 0 WHERE root = ?')
  const getState = db.prepare<[string, string]>(
    'SELECT key, value FROM work_state WHERE work_id = ? AND key = ?',
  )
  const setState = db.prepare(
    `INSERT INTO work_state (work_id, key, value) VALUES (?, ?, ?)
     ON CONFLICT (work_id, key) DO UPDATE SET value = excluded.value`,
  )
  const stateOf = (workId: string, key: string): unknown => states.all(getState.all(workId, key))[0]?.value
  const placesOf = (workId: string) =>
    z.record(z.string(), TextPlace).safeParse(stateOf(workId, 'places')).data ?? {}
  return {
    /** Returns where the author was in each file; the oldest of more than 500 are forgotten. */
    places: placesOf,
    /** Stores a place. `from`: the former name of a renamed file. */
    keepPlace(workId: string, path: string, place: TextPlace, from = path): void {
      const others = Object.entries(placesOf(workId)).filter(([of]) => of !== path && of !== from)
      const places = Object.fromEntries([...others.slice(-499), [path, place]])
      setState.run(workId, 'places', JSON.stringify(places))
    },
    /** Returns the stored work of a folder. Its id stays the same for the same real path. */
    open(root: string, name: string, at: number): StoredWork {
      upsert.run(random.id(), root, name, at)
      const row = byRoot.get(root)
      if (row === undefined) throw new Error('a work that was just stored is missing')
      return workOf(rows.need(row))
    },
    get(workId: string): StoredWork | undefined {
      const [row] = rows.all(byId.all(workId))
      return row === undefined ? undefined : workOf(row)
    },
    rename: (workId: string, name: string): void => void rename.run(name, workId),
    setLastPath: (workId: string, path: string | null): void => void setLastPath.run(path, workId),
    /** Last opened first. */
    recent: (limit = 30): RecentWork[] => recents.all(recent.iterate(), limit),
    /** Removes a work from the recent list; its takes and state stay for when it is opened again. */
    forget: (root: string): void => void forget.run(root),
    getState: stateOf,
    setState: (workId: string, key: string, value: unknown): void =>
      void setState.run(workId, key, JSON.stringify(value)),
  }
}

function workOf(row: z.infer<typeof Row>): StoredWork {
  return { workId: row.id, root: row.root, name: row.name, lastPath: row.last_path }
}

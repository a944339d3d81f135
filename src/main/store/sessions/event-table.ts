import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/** Most events that are kept: enough to judge by. */
const limitEvents = 10_000

/** A table of outcomes with an `id` and a `value`. Units: `before` is a position (`seq`) that `list` returned. */
export function createEventTable<T extends object>(
  db: Db,
  table: 'suggestions' | 'speculations',
  schema: z.ZodType<T>,
  read = createRowReaders(),
) {
  const rows = read(table, z.object({ seq: z.number(), value: jsonOf(schema) }))
  const insert = db.prepare(`INSERT INTO ${table} (id, value) VALUES (?, ?)`)
  const prune = db.prepare(`DELETE FROM ${table} WHERE seq <= ?`)
  const one = db.prepare<[string]>(`SELECT seq, value FROM ${table} WHERE id = ?`)
  const update = db.prepare(`UPDATE ${table} SET value = ? WHERE id = ?`)
  const page = db.prepare<[number]>(`SELECT seq, value FROM ${table} WHERE seq < ? ORDER BY seq DESC`)
  const all = db.prepare(`SELECT seq, value FROM ${table}`)
  const erase = db.prepare(`DELETE FROM ${table}`)
  return {
    rows,
    all: (): T[] => rows.all(all.iterate()).map(({ value }) => value),
    methods: {
      /** Changes an event; does nothing where it is gone. */
      change(id: string, change: Partial<T>): void {
        const [row] = rows.all(one.all(id))
        if (row !== undefined) update.run(JSON.stringify({ ...row.value, ...change }), id)
      },
      /** Newest first. */
      list({ before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number }) {
        const { found, hasMore } = rows.page(page.iterate(before), limit)
        return { events: found.map(({ seq, value }) => ({ ...value, seq })), hasMore }
      },
      erase: (): void => void erase.run(),
    },
    add(id: string, event: T): void {
      const { lastInsertRowid } = insert.run(id, JSON.stringify(event))
      prune.run(Number(lastInsertRowid) - limitEvents)
    },
  }
}

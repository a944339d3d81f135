import { z } from 'zod'
import type { HostEvent } from '../../../shared/domain/app/host-info.ts'
import { AppError } from '../../../shared/errors.ts'
import { isTooDeep } from '../../../shared/text/json.ts'
import type { Log } from '../../deps.ts'

/** A row that cannot be read. Shape: `row` is the value of its first column. */
export type DamagedRow = { table: string; row: string }

/** Reads rows of one table. A row that is damaged, or that a newer version wrote, is skipped and left as it is. */
type RowReader<T> = {
  one(row: unknown): T | undefined
  /** Returns at most `limit` of those that can be read. */
  all(rows: Iterable<unknown>, limit?: number): T[]
  /** Returns a page that damaged rows do not shorten. `rows` goes on to the end of the list. */
  page(rows: Iterable<unknown>, limit: number): { found: T[]; hasMore: boolean }
  /** Reads a row that must not be skipped. Errors: `store/unreadable`. */
  need(row: unknown): T
}

/** Reads rows of a table. Shape: the first column of a row names it. */
type RowReaders = <T>(table: string, schema: z.ZodType<T>) => RowReader<T>

/** Most damaged rows that are reported; each is reported once. */
const limitTold = 100

/** Returns the readers with which every repository reads its rows: none trusts the contents of a column. */
export function createRowReaders(onDamaged: (damaged: DamagedRow) => void = () => undefined): RowReaders {
  const told = new Set<string>()
  const tell = (table: string, row: unknown): void => {
    const damaged = { table, row: String(Object.values(Object(row))[0]).slice(0, 200) }
    const name = JSON.stringify(damaged)
    if (told.has(name) || told.size >= limitTold) return
    told.add(name)
    onDamaged(damaged)
  }
  return <T>(table: string, schema: z.ZodType<T>): RowReader<T> => {
    const one = (row: unknown): T | undefined => {
      const read = schema.safeParse(row)
      if (!read.success) tell(table, row)
      return read.data
    }
    const all = (rows: Iterable<unknown>, limit = Number.POSITIVE_INFINITY): T[] => {
      const found: T[] = []
      for (const row of rows) {
        const value = one(row)
        if (value !== undefined) found.push(value)
        if (found.length >= limit) break
      }
      return found
    }
    return {
      one,
      all,
      page(rows, limit) {
        const found = all(rows, limit + 1)
        return { found: found.slice(0, limit), hasMore: found.length > limit }
      },
      need(row) {
        const value = one(row)
        if (value === undefined) throw new AppError({ code: 'store/unreadable', table })
        return value
      },
    }
  }
}

/** Names each damaged row in the log, and tells the windows once. */
export function createDamageNotice(log: Log, tell: (event: HostEvent) => void): (row: DamagedRow) => void {
  let isTold = false
  return (row) => {
    log.write('warn', 'store.damaged-row', row)
    if (!isTold) tell({ type: 'damaged-rows' })
    isTold = true
  }
}

/** Returns a column with JSON of a noun. */
export function jsonOf<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        if (!isTooDeep(text)) return JSON.parse(text)
      } catch {
        // Reported below.
      }
      context.addIssue({ code: 'custom', message: 'no JSON' })
      return z.NEVER
    })
    .pipe(schema)
}

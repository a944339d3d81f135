import { z } from 'zod'
import { PromptOrigin, RolledValue, Take, type TakeRecord } from '../../../shared/domain/drafting/take.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'
import type { TextChunks } from '../database/text-chunks.ts'

/** Every result of the model, with all that made it. Nothing deletes them. */
export type TakeRepository = ReturnType<typeof createTakeRepository>

type TakeQuery = {
  workId: string
  path?: string | null | undefined
  mode?: Take['mode'] | null | undefined
  except?: readonly Take['mode'][] | undefined
  before?: string | null | undefined
  limit: number
}

/** Returns the SQL of a field of the column `value`; NULL where that is damaged. */
const fieldOf = (name: string) => `CASE WHEN json_valid(value) THEN value ->> '$.${name}' END`

const StoredPrompt = z.array(z.object({ origin: PromptOrigin, chunks: z.string() }))
/** A row of a take; fields that earlier versions did not write are filled in. */
const TakeRow = z.object({
  value: jsonOf(z.preprocess((value) => ({ ideaTarget: 'all', placeId: '', ...Object(value) }), Take)),
})
const RecordRow = TakeRow.extend({
  prompt: jsonOf(StoredPrompt),
  rolls: jsonOf(z.array(RolledValue)),
  sampler: jsonOf(z.record(z.string(), z.unknown())),
  seed: z.number(),
})

export function createTakeRepository(db: Db, chunks: TextChunks, read = createRowReaders()) {
  const [takeRows, recordRows] = [read('takes', TakeRow), read('takes', RecordRow)]
  const insert = db.prepare(
    'INSERT INTO takes (id, work_id, path, value, prompt, rolls, sampler, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const select = db.prepare<[string]>(
    'SELECT id, value, prompt, rolls, sampler, seed FROM takes WHERE id = ?',
  )
  const setValue = db.prepare('UPDATE takes SET value = ?, path = ? WHERE id = ?')
  const page = db.prepare<Record<string, unknown>>(
    `SELECT id, value FROM takes
     WHERE work_id = @workId AND (@path IS NULL OR path = @path)
       AND (@mode IS NULL OR ${fieldOf('mode')} = @mode)
       AND ${fieldOf('mode')} NOT IN (SELECT value FROM json_each(@except))
       AND (@before IS NULL OR seq < (SELECT seq FROM takes WHERE id = @before))
     ORDER BY seq DESC`,
  )
  const pendingSummaries = db.prepare<[string]>(
    `SELECT id, value FROM takes WHERE work_id = ? AND ${fieldOf('mode')} = 'summary'
     AND ${fieldOf('state')} = 'pending' ORDER BY seq DESC`,
  )
  const countedSummaries = db.prepare<[string], { path: string; count: number }>(
    `SELECT path, COUNT(*) AS count FROM takes WHERE work_id = ? AND ${fieldOf('mode')} = 'summary' GROUP BY path`,
  )
  const inPath = db.prepare<[string, string]>('SELECT id, value FROM takes WHERE work_id = ? AND path = ?')

  const need = (takeId: string): unknown => {
    const row = select.get(takeId)
    if (row === undefined) throw new AppError({ code: 'take/not-found', takeId })
    return row
  }
  const write = (take: Take): void => void setValue.run(JSON.stringify(take), take.path, take.takeId)

  return {
    add: (record: TakeRecord): void =>
      db.transaction(() => {
        const { take } = record
        const prompt = record.prompt.map((part) => ({
          origin: part.origin,
          chunks: chunks.put(part.text).toString('base64'),
        }))
        insert.run(
          take.takeId,
          take.workId,
          take.path,
          JSON.stringify(take),
          JSON.stringify(prompt),
          JSON.stringify(record.rolls),
          JSON.stringify(record.sampler),
          record.seed,
        )
      })(),
    /** Errors: `take/not-found`, `store/unreadable`. */
    update(takeId: string, change: Partial<Omit<Take, 'takeId' | 'workId'>>): Take {
      const take = { ...takeRows.need(need(takeId)).value, ...change }
      write(take)
      return take
    },
    /** Errors: `take/not-found`, `store/unreadable`. */
    get(takeId: string): TakeRecord {
      const { value, prompt, ...more } = recordRows.need(need(takeId))
      return {
        take: value,
        prompt: prompt.map((part) => ({
          origin: part.origin,
          text: chunks.get(Buffer.from(part.chunks, 'base64')),
        })),
        ...more,
      }
    },
    /** Returns takes, newest first; `before` is the id of the last one that the caller has. */
    list({ workId, path = null, mode = null, except = [], before = null, limit }: TakeQuery) {
      const rows = page.iterate({ workId, path, mode, except: JSON.stringify(except), before })
      const { found, hasMore } = takeRows.page(rows, limit)
      return { takes: found.map(({ value }) => value), hasMore }
    },
    /** Returns the undecided summaries of a work, newest first, and how many takes of summaries each path has. */
    summaries: (workId: string) => ({
      pending: takeRows.all(pendingSummaries.all(workId)).map(({ value }) => value),
      counts: new Map(countedSummaries.all(workId).map(({ path, count }) => [path, count])),
    }),
    /** Moves the takes of a file that was renamed. Those of a file that had the new name before are not offered for it. */
    movePath: (workId: string, from: string, to: string): void =>
      db.transaction(() => {
        for (const { value } of takeRows.all(inPath.all(workId, to)))
          if (value.state === 'pending') write({ ...value, state: 'dismissed' })
        for (const { value } of takeRows.all(inPath.all(workId, from))) write({ ...value, path: to })
      })(),
  }
}

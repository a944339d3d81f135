import { z } from 'zod'
import { PromptOrigin, RolledValue, Take, type TakeRecord } from '../../shared/domain/drafting/take.ts'
import { AppError } from '../../shared/errors.ts'
import type { Db } from './database.ts'
import type { TextChunks } from './text-chunks.ts'

/** Every result of the model, with all that made it. Nothing here deletes one. */
export type TakeRepository = {
  add(record: TakeRecord): void
  /** Errors: `take/not-found`. */
  update(takeId: string, change: Partial<Omit<Take, 'takeId' | 'workId'>>): Take
  /** Errors: `take/not-found`. */
  get(takeId: string): TakeRecord
  /** Newest first; `before` is the id of the last take that the caller has. */
  list(query: {
    workId: string
    path?: string | undefined
    mode?: Take['mode'] | undefined
    except?: Take['mode'] | undefined
    before?: string | undefined
    limit: number
  }): { takes: Take[]; hasMore: boolean }
  /** A file was renamed: its takes go with it. */
  movePath(workId: string, from: string, to: string): void
}

const StoredPrompt = z.array(z.object({ origin: PromptOrigin, chunks: z.string() }))
type Row = { value: string; prompt: string; rolls: string; sampler: string; seed: number }

/** What earlier versions did not write is filled in. */
function storedTake(value: string): Take {
  return Take.parse({ ideaTarget: 'all', placeId: '', ...JSON.parse(value) })
}

export function createTakeRepository(db: Db, chunks: TextChunks): TakeRepository {
  const insert = db.prepare(
    'INSERT INTO takes (id, work_id, path, value, prompt, rolls, sampler, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const select = db.prepare<[string], Row>(
    'SELECT value, prompt, rolls, sampler, seed FROM takes WHERE id = ?',
  )
  const setValue = db.prepare('UPDATE takes SET value = ?, path = ? WHERE id = ?')
  const page = db.prepare<Record<string, unknown>, { value: string }>(
    `SELECT value FROM takes
     WHERE work_id = @workId AND (@path IS NULL OR path = @path)
       AND (@mode IS NULL OR json_extract(value, '$.mode') = @mode)
       AND (@except IS NULL OR json_extract(value, '$.mode') <> @except)
       AND (@before IS NULL OR seq < (SELECT seq FROM takes WHERE id = @before))
     ORDER BY seq DESC LIMIT @limit`,
  )
  const inPath = db.prepare<[string, string], { value: string }>(
    'SELECT value FROM takes WHERE work_id = ? AND path = ?',
  )

  const need = (takeId: string): Row => {
    const row = select.get(takeId)
    if (row === undefined) throw new AppError({ code: 'take/not-found', takeId })
    return row
  }
  const write = (take: Take): void => void setValue.run(JSON.stringify(take), take.path, take.takeId)

  return {
    add: db.transaction((record: TakeRecord) => {
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
    }),
    update(takeId, change) {
      const take = { ...storedTake(need(takeId).value), ...change }
      write(take)
      return take
    },
    get(takeId) {
      const row = need(takeId)
      return {
        take: storedTake(row.value),
        prompt: StoredPrompt.parse(JSON.parse(row.prompt)).map((part) => ({
          origin: part.origin,
          text: chunks.get(Buffer.from(part.chunks, 'base64')),
        })),
        rolls: z.array(RolledValue).parse(JSON.parse(row.rolls)),
        sampler: z.record(z.string(), z.unknown()).parse(JSON.parse(row.sampler)),
        seed: row.seed,
      }
    },
    list({ workId, path, mode, except, before, limit }) {
      const rows = page.all({
        workId,
        path: path ?? null,
        mode: mode ?? null,
        except: except ?? null,
        before: before ?? null,
        limit: limit + 1,
      })
      const takes = rows.slice(0, limit).map((row) => storedTake(row.value))
      return { takes, hasMore: rows.length > limit }
    },
    movePath: db.transaction((workId: string, from: string, to: string) => {
      for (const row of inPath.all(workId, from)) write({ ...storedTake(row.value), path: to })
    }),
  }
}

import { z } from 'zod'
import { Run } from '../../../shared/domain/drafting/run.ts'
import type { Clock } from '../../deps.ts'
import { type Db, isDiskFull } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/** Runs with their text so far, so that a crash loses at most half a second of it. */
export type RunRepository = ReturnType<typeof createRunRepository>

const recordEveryMs = 500
const retryMs = 5_000
/** Values of fields that earlier versions did not write. */
const unwritten = { mode: 'generate', ideaTarget: 'all', placeId: '' }
const Row = z.object({ value: jsonOf(z.preprocess((value) => ({ ...unwritten, ...Object(value) }), Run)) })

export function createRunRepository(db: Db, clock: Clock, read = createRowReaders()) {
  const rows = read('runs', Row)
  const upsert = db.prepare(
    `INSERT INTO runs (id, work_id, kind, state, started_at, ended_at, value) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at, value = excluded.value`,
  )
  const select = db.prepare<[string]>('SELECT id, value FROM runs WHERE id = ?')
  const byWork = db.prepare<[string]>(
    'SELECT id, value FROM runs WHERE work_id = ? ORDER BY started_at DESC, rowid DESC',
  )
  const running = db.prepare(`SELECT id, value FROM runs WHERE state = 'running'`)
  const waiting = new Map<string, { run: Run; timer: { cancel(): void } }>()

  const save = (run: Run, at = clock.now()): void => {
    waiting.get(run.runId)?.timer.cancel()
    waiting.delete(run.runId)
    const endedAt = run.state === 'running' ? null : at
    upsert.run(run.runId, run.workId, run.kind, run.state, run.startedAt, endedAt, JSON.stringify(run))
  }
  const wait = (run: Run, delayMs: number): void => {
    waiting.set(run.runId, { run, timer: clock.setTimeout(() => flushOne(run.runId), delayMs) })
  }
  const saveOrWait = (run: Run): void => {
    try {
      save(run)
    } catch (error) {
      if (!isDiskFull(error)) throw error
      wait(run, retryMs)
    }
  }
  const flushOne = (runId: string): void => {
    const entry = waiting.get(runId)
    if (entry !== undefined) saveOrWait(entry.run)
  }

  return {
    save: (run: Run): void => save(run),
    /**
     * Writes soon: at most once in 500 ms for a run, and at once when it is no longer running. On a full disk the write
     * is tried again later: a run is never stopped by its record.
     */
    record(run: Run): void {
      const entry = waiting.get(run.runId)
      if (run.state !== 'running') saveOrWait(run)
      else if (entry !== undefined) entry.run = run
      else wait(run, recordEveryMs)
    },
    get: (runId: string): Run | undefined => rows.all(select.all(runId))[0]?.value,
    /** Newest first. */
    list: (workId: string, limit = 50): Run[] =>
      rows.all(byWork.iterate(workId), limit).map(({ value }) => value),
    /** Marks what an earlier host left running as `interrupted`, and returns it. */
    interruptLeftovers(at: number): Run[] {
      const runs = rows.all(running.all()).map(({ value }): Run => ({ ...value, state: 'interrupted' }))
      for (const run of runs) save(run, at)
      return runs
    },
    flush(): void {
      for (const runId of [...waiting.keys()]) flushOne(runId)
      for (const { timer } of waiting.values()) timer.cancel()
    },
  }
}

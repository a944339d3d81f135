import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { RecordBackup } from '../../../shared/domain/app/host-info.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock, Log } from '../../deps.ts'
import { checkDatabase, isThere, sideEnds } from './database.ts'

/** Copies of the database in the data folder. */
export type Backups = ReturnType<typeof createBackups>

const dayMs = 24 * 60 * 60_000
/** Delay until the first check of whether a backup is due, and interval of later checks. Units: ms. */
const firstCheckMs = 60_000
const checkMs = 60 * 60_000
const keptCount = 3
const namePattern = /^tsugi-\d{8}T\d{9}Z\.db$/

/** `path`: the database. The folder of backups lies beside it. */
export function createBackups(path: string, folder: string, clock: Pick<Clock, 'now'>) {
  function list(): RecordBackup[] {
    return namesIn(folder)
      .filter((name) => namePattern.test(name))
      .sort()
      .reverse()
      .flatMap((name) => {
        const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
        if (stats?.isFile() !== true) return []
        return [{ name, at: Math.round(stats.mtimeMs), sizeBytes: stats.size }]
      })
  }

  return {
    /** Returns the backups, newest first. */
    list,
    /** Makes a backup where the newest is older than a day, and keeps only the newest three. */
    async makeDue(): Promise<void> {
      // A backup with a future date was made while the clock was wrong. It does not count as today's.
      const isOfToday = ({ at }: RecordBackup) => Math.abs(clock.now() - at) < dayMs
      if (list().some(isOfToday)) return
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')
      const target = join(folder, `tsugi-${stamp}.db`)
      const begun = `${target}.new`
      for (const left of readdirSync(folder).filter((name) => name.includes('.db.new')))
        rmSync(join(folder, left), { force: true })
      try {
        await copyInWorker(path, begun)
        sync(begun)
        renameSync(begun, target)
      } catch (error) {
        rmSync(begun, { force: true })
        throw error
      }
      for (const { name } of list().slice(keptCount)) rmSync(join(folder, name), { force: true })
    },
    /**
     * Replaces the database by a backup; the replaced files are kept beside it.
     *
     * Errors: `file/not-found`; `store/damaged` for a backup that is damaged itself, which changes nothing.
     */
    restore(name: string): void {
      const backup = join(folder, name)
      if (!namePattern.test(name) || !existsSync(backup))
        throw new AppError({ code: 'file/not-found', path: backup })
      checkDatabase(backup)
      const begun = `${path}.new`
      copyFileSync(backup, begun)
      sync(begun)
      const aside = `${path}.damaged-${new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, '')}`
      // The log is moved first: beside another database it would be taken for that one's log.
      for (const end of [...sideEnds, '']) if (isThere(path + end)) renameSync(path + end, aside + end)
      renameSync(begun, path)
    },
  }
}

/** Makes due backups between `begin` and `end`. A failure is logged as a bug. */
export function keepBackups(
  backups: Pick<Backups, 'makeDue'>,
  { clock, log }: { clock: Pick<Clock, 'setTimeout'>; log: Pick<Log, 'bug'> },
) {
  let timer: { cancel(): void } | undefined
  const checkAfter = (delayMs: number): void => {
    timer = clock.setTimeout(() => {
      checkAfter(checkMs)
      backups.makeDue().catch((error: unknown) => log.bug(error, 'host.backup'))
    }, delayMs)
  }
  return { begin: () => checkAfter(firstCheckMs), end: () => timer?.cancel() }
}

/** Lists a folder; empty where there is none: a damaged database is reported all the same. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Runs in a worker, since a copy of a large database takes seconds, in which the host could not write. */
const copyScript = `
const { workerData } = require('node:worker_threads')
const Database = require(workerData.module)
const db = new Database(workerData.from, { fileMustExist: true })
try { db.prepare('VACUUM INTO ?').run(workerData.to) } finally { db.close() }
`

function copyInWorker(from: string, to: string): Promise<void> {
  const module = createRequire(import.meta.url).resolve('better-sqlite3')
  return new Promise((done, failed) => {
    const worker = new Worker(copyScript, { eval: true, workerData: { module, from, to } })
    // The host does not wait for the worker when it ends: the next host removes an incomplete copy.
    worker.unref()
    worker.once('error', failed)
    worker.once('exit', (code) => {
      if (code === 0) done()
      else failed(new Error(`the copy of the database ended with ${code}`))
    })
  })
}

import { existsSync, lstatSync, realpathSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import { type Migration, migrations } from './migrations.ts'

/** The open database of a data folder. */
export type Db = Database.Database

/** 'TSUG' in the file's header marks the file as ours. */
const applicationId = 0x54535547

/**
 * Opens the database, or makes it, and brings it up to date.
 *
 * Before a migration the old file is copied beside it (`<name>.v<old>.backup`). A file that is damaged, newer
 * or not ours is left exactly as it is.
 * Errors: `store/damaged`, `store/newer`, `file/disk-full`, `file/denied`; `host/bad-data-folder` where another program
 * has it locked.
 */
export function openDatabase(path: string, wanted: readonly Migration[] = migrations): Db {
  const known = wanted.at(-1)?.version ?? 0
  if (!isThere(path)) create(path, wanted)
  const version = inspect(path, known)
  const db = guard(path, () => new Database(path))
  try {
    return guard(path, () => {
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = NORMAL')
      db.pragma('foreign_keys = ON')
      db.pragma('busy_timeout = 5000')
      const pending = wanted.filter((migration) => migration.version > version)
      if (pending.length > 0) backUp(db, path, version)
      for (const migration of pending) migrate(db, migration)
      return db
    })
  } catch (error) {
    db.close()
    throw error
  }
}

/** True also for a link that leads nowhere: its target must not be created silently. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Reads a database as it will be opened. Errors: `store/damaged`, `store/newer`. */
export function checkDatabase(path: string): void {
  inspect(path, migrations.at(-1)?.version ?? 0)
}

/** Makes the file under another name and renames it: under its own name it is whole from the first moment. */
function create(path: string, wanted: readonly Migration[]): void {
  const begun = `${path}.new`
  guard(path, () => {
    for (const end of ['', ...sideEnds]) rmSync(begun + end, { force: true, recursive: true })
    const db = new Database(begun)
    try {
      // A file that was not renamed is made again, so that one sync of the whole file is enough.
      db.pragma('journal_mode = MEMORY')
      db.transaction(() => {
        for (const migration of wanted) migrate(db, migration)
      }).immediate()
      db.pragma('journal_mode = WAL')
    } finally {
      db.close()
    }
    renameSync(begun, path)
  })
}

/** Closes the database; its write-ahead log is written into the file. */
export function closeDatabase(db: Db): void {
  try {
    db.pragma('optimize')
  } catch (error) {
    // `optimize` only makes later queries faster.
    if (!isDiskFull(error)) throw error
  } finally {
    db.close()
  }
}

/** True where SQLite found no room to write. */
export function isDiskFull(error: unknown): boolean {
  return errorCode(error) === 'SQLITE_FULL'
}

/** Runs `work` as one transaction that is on the disk, synced, when this returns. */
export function commitDurably<T>(db: Db, work: () => T): T {
  db.pragma('synchronous = FULL')
  try {
    return db.transaction(work).immediate()
  } finally {
    db.pragma('synchronous = NORMAL')
  }
}

/** Checks a file, opened read-only, and returns its version. */
function inspect(path: string, known: number): number {
  return guard(path, () => {
    // Checks the file type first: opening a pipe would block for ever.
    const size = sizeOf(path)
    if (size === 0) throw damaged(path, 'empty')
    refuseSpecialSides(path)
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      const version = Number(db.pragma('user_version', { simple: true }))
      const owner = Number(db.pragma('application_id', { simple: true }))
      if (owner !== applicationId) throw damaged(path, 'not a database of this app')
      if (version > known) throw new AppError({ code: 'store/newer', path, version, known })
      if (version < 1) throw damaged(path, `version ${version}`)
      const verdict = String(db.pragma('quick_check(1)', { simple: true }))
      if (verdict !== 'ok') throw damaged(path, verdict)
      return version
    } finally {
      db.close()
    }
  })
}

/** Returns the size of a file. Units: bytes. Errors: `store/damaged` for anything but a regular file. */
function sizeOf(path: string): number {
  let stats: Stats
  try {
    stats = statSync(path)
  } catch (error) {
    throw damaged(path, errorCode(error) ?? 'unknown', error)
  }
  if (!stats.isFile()) throw damaged(path, 'no plain file')
  return stats.size
}

/** The files that SQLite keeps beside a database, by the end of their names. */
export const sideEnds = ['-wal', '-shm', '-journal'] as const

/** Refuses side files that are no plain files: SQLite's error would mislead. Errors: `store/damaged` with the name. */
function refuseSpecialSides(path: string): void {
  const real = realpathSync(path)
  for (const side of sideEnds.map((end) => real + end)) {
    const stats = lstatSync(side, { throwIfNoEntry: false })
    if (stats !== undefined && !stats.isFile()) throw damaged(path, `no plain file: ${basename(side)}`)
  }
}

function backUp(db: Db, path: string, version: number): void {
  let target = `${path}.v${version}.backup`
  for (let copy = 2; existsSync(target); copy++) target = `${path}.v${version}.${copy}.backup`
  db.prepare('VACUUM INTO ?').run(target)
}

function migrate(db: Db, migration: Migration): void {
  db.transaction(() => {
    db.exec(migration.sql)
    db.pragma(`user_version = ${migration.version}`)
    db.pragma(`application_id = ${applicationId}`)
  }).immediate()
}

function guard<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = errorCode(error) ?? ''
    if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB'))
      throw damaged(path, code, error)
    if (isDiskFull(error)) throw toFileError(error, path)
    if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY'))
      throw new AppError({ code: 'file/denied', path }, { cause: error })
    // Another program has locked the database.
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
      throw new AppError({ code: 'host/bad-data-folder', path, reason: code }, { cause: error })
    throw error
  }
}

function damaged(path: string, reason: string, cause?: unknown): AppError {
  return new AppError({ code: 'store/damaged', path, reason }, cause === undefined ? {} : { cause })
}

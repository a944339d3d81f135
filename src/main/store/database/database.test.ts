import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { makeSpecial, specialSources } from '../../../../tests/fakes/disks/special-file.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { isAppError } from '../../../shared/errors.ts'
import { createBackups } from './backups.ts'
import { closeDatabase, openDatabase } from './database.ts'
import { type Migration, migrations } from './migrations.ts'

const known = migrations.at(-1)?.version ?? 0
const next: Migration = { version: known + 1, sql: 'CREATE TABLE later (id INTEGER)' }
const noFiles = [
  ...(['pipe', 'link to a pipe', 'socket', 'link to a socket', 'device', 'terminal', 'folder'] as const),
  ...([
    'full folder',
    'link to a folder',
    'circle',
    'two-link circle',
    'long link',
    'dangling link',
  ] as const),
]
const broken: Migration = {
  version: known + 1,
  sql: 'CREATE TABLE half (id INTEGER); SELECT nonsense FROM nowhere',
}

function made(): string {
  const path = join(tempFolder(), 'tsugi.db')
  const db = openDatabase(path)
  db.prepare("INSERT INTO settings VALUES ('a', '1')").run()
  closeDatabase(db)
  return path
}

function failure(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return isAppError(error) ? error.info : error
  }
  return 'nothing was thrown'
}

describe('the database file', () => {
  it('is made, kept, and opened again', () => {
    const path = made()
    const db = openDatabase(path)
    expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('1')
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    closeDatabase(db)
  })

  it('is copied before a migration', () => {
    const path = made()
    closeDatabase(openDatabase(path, [...migrations, next]))
    const backup = new Database(`${path}.v${known}.backup`, { readonly: true })
    expect(backup.pragma('user_version', { simple: true })).toBe(known)
    expect(backup.prepare('SELECT value FROM settings').pluck().get()).toBe('1')
    backup.close()
  })

  it('stays at the old version when a migration fails', () => {
    const path = made()
    expect(() => openDatabase(path, [...migrations, broken])).toThrow()
    const db = openDatabase(path)
    expect(db.pragma('user_version', { simple: true })).toBe(known)
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get()).toBe(0)
    closeDatabase(db)
  })

  it('of a newer app is left as it is', () => {
    const path = made()
    closeDatabase(openDatabase(path, [...migrations, next]))
    const before = readFileSync(path)
    expect(failure(() => openDatabase(path))).toEqual({
      code: 'store/newer',
      path,
      version: known + 1,
      known,
    })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it.each([-1, 0, -2_147_483_648])('of version %s, which none of ours has, is left as it is', (version) => {
    const path = made()
    const other = new Database(path)
    other.pragma(`user_version = ${version}`)
    other.close()
    const before = readFileSync(path)
    expect(failure(() => openDatabase(path))).toEqual({
      code: 'store/damaged',
      path,
      reason: `version ${version}`,
    })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('that another program has locked is named', () => {
    const path = made()
    const other = new Database(path)
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec('BEGIN EXCLUSIVE')
    expect(failure(() => openDatabase(path))).toEqual({
      code: 'host/bad-data-folder',
      path,
      reason: 'SQLITE_BUSY',
    })
    other.close()
  })

  it.each([
    ['no database at all', (bytes: Buffer) => Buffer.from('x'.repeat(bytes.length))],
    ['cut', (bytes: Buffer) => bytes.subarray(0, 5000)],
    ['cut to its first page', (bytes: Buffer) => bytes.subarray(0, 4096)],
    ['cut inside its header', (bytes: Buffer) => bytes.subarray(0, 50)],
    ['empty', () => Buffer.alloc(0)],
    [
      'damaged inside',
      (bytes: Buffer) => {
        bytes.fill(0xab, 4096, bytes.length - 4096)
        return bytes
      },
    ],
  ])('that is %s is left as it is', (_name, damage) => {
    const path = made()
    writeFileSync(path, damage(readFileSync(path)))
    const before = readFileSync(path)
    expect(failure(() => openDatabase(path))).toMatchObject({ code: 'store/damaged', path })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(join(path, '..')).filter((name) => name.endsWith('.backup'))).toEqual([])
  })

  it.skipIf(process.platform === 'win32').each(noFiles)(
    'that is no file but %s is left as it is, and a backup takes its place',
    async (kind) => {
      const path = made()
      const folder = join(path, '..')
      const backups = createBackups(path, join(folder, 'backups'), { now: Date.now })
      await backups.makeDue()
      rmSync(path)
      makeSpecial(kind, path, specialSources(tempFolder()))
      const before = lstatSync(path)
      expect(failure(() => openDatabase(path))).toMatchObject({ code: 'store/damaged', path })
      expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode })
      expect(existsSync(`${path}.new`)).toBe(false)

      const [backup] = backups.list()
      backups.restore(backup?.name ?? '')
      const db = openDatabase(path)
      expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('1')
      closeDatabase(db)
      const aside = readdirSync(folder).find((name) => name.includes('.damaged-'))
      expect(lstatSync(join(folder, aside ?? '')).ino).toBe(before.ino)
    },
  )

  const sides = (['-wal', '-shm', '-journal'] as const).flatMap((end) =>
    noFiles.map((kind) => ({ end, kind })),
  )
  it.skipIf(process.platform === 'win32').each(sides)(
    'whose $end is $kind names it, and a backup takes its place',
    async ({ end, kind }) => {
      const path = made()
      const backups = createBackups(path, join(path, '..', 'backups'), { now: Date.now })
      await backups.makeDue()
      const before = readFileSync(path)
      rmSync(path + end, { force: true })
      makeSpecial(kind, path + end, specialSources(tempFolder()))
      const reason = `no plain file: tsugi.db${end}`
      expect(failure(() => openDatabase(path))).toEqual({ code: 'store/damaged', path, reason })
      expect(readFileSync(path).equals(before)).toBe(true)
      const [backup] = backups.list()
      backups.restore(backup?.name ?? '')
      const db = openDatabase(path)
      expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('1')
      closeDatabase(db)
    },
  )

  it('is made anew over what a start left that was killed while it made one', () => {
    const path = join(tempFolder(), 'tsugi.db')
    writeFileSync(`${path}.new`, 'half')
    const db = openDatabase(path)
    expect(db.pragma('user_version', { simple: true })).toBe(known)
    closeDatabase(db)
    expect(existsSync(`${path}.new`)).toBe(false)
  })

  it('of another program is not ours to change', () => {
    const path = join(tempFolder(), 'tsugi.db')
    const other = new Database(path)
    other.exec('CREATE TABLE theirs (id INTEGER)')
    other.close()
    expect(failure(() => openDatabase(path))).toMatchObject({ code: 'store/damaged' })
    expect(existsSync(`${path}-wal`)).toBe(false)
  })
})

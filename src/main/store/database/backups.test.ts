import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { makeSpecial, specialSources } from '../../../../tests/fakes/disks/special-file.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { manualClock } from '../../../../tests/fakes/manual-clock.ts'
import { createBackups, keepBackups } from './backups.ts'
import { closeDatabase, openDatabase } from './database.ts'

const dayMs = 24 * 60 * 60_000

function place() {
  const root = tempFolder()
  const path = join(root, 'tsugi.db')
  let now = Date.now()
  const clock = { now: () => now }
  const backups = createBackups(path, join(root, 'backups'), clock)
  return {
    root,
    path,
    backups,
    pass: (ms: number) => {
      now += ms
    },
    write(value: string) {
      const db = openDatabase(path)
      db.prepare("INSERT OR REPLACE INTO settings VALUES ('a', ?)").run(value)
      closeDatabase(db)
    },
    read() {
      const db = openDatabase(path)
      const value = db.prepare('SELECT value FROM settings').pluck().get()
      closeDatabase(db)
      return value
    },
  }
}

describe('backups of the database', () => {
  it('are made once a day, whole, while it is in use, and three are kept', async () => {
    const { path, backups, pass, root } = place()
    const db = openDatabase(path)
    for (let day = 1; day <= 5; day += 1) {
      db.prepare("INSERT OR REPLACE INTO settings VALUES ('a', ?)").run(`day ${day}`)
      await backups.makeDue()
      await backups.makeDue()
      pass(dayMs + 1)
    }
    closeDatabase(db)
    const names = backups.list().map(({ name }) => name)
    expect(names).toHaveLength(3)
    expect(readdirSync(join(root, 'backups')).sort()).toEqual([...names].sort())
    const values = names.map((name) => {
      const copy = new Database(join(root, 'backups', name), { readonly: true })
      const value = copy.prepare('SELECT value FROM settings').pluck().get()
      copy.close()
      return value
    })
    expect(values).toEqual(['day 5', 'day 4', 'day 3'])
  })

  it('are made although one is of a day to come, when the clock was wrong', async () => {
    const { backups, pass, write, root } = place()
    write('before')
    pass(100 * dayMs)
    await backups.makeDue()
    const [wrong] = backups.list()
    const then = new Date(Date.now() + 100 * dayMs)
    utimesSync(join(root, 'backups', wrong?.name ?? ''), then, then)
    pass(-100 * dayMs)
    await backups.makeDue()
    await backups.makeDue()
    expect(backups.list()).toHaveLength(2)
  })

  it('leave nothing half of a copy that failed, nor of one that was killed', async () => {
    const { path, backups, root } = place()
    writeFileSync(path, 'no database')
    mkdirSync(join(root, 'backups'))
    writeFileSync(join(root, 'backups', 'tsugi-20260101T000000000Z.db.new'), 'half')
    await expect(backups.makeDue()).rejects.toThrow()
    expect([readdirSync(join(root, 'backups')), backups.list()]).toEqual([[], []])
  })

  it('are put in the place of a damaged one, which is kept', async () => {
    const { path, backups, root, write, read } = place()
    write('before')
    await backups.makeDue()
    write('after')
    truncateSync(path, 0)
    writeFileSync(`${path}-wal`, 'of another file')
    backups.restore(backups.list()[0]?.name ?? '')
    expect(read()).toBe('before')
    const aside = readdirSync(root).filter((name) => name.includes('.damaged-'))
    expect(aside.map((name) => name.replace(/^.*Z/, '')).sort()).toEqual(['', '-wal'])
  })

  it('are refused where they are damaged themselves, or are none', async () => {
    const { path, backups, root, write } = place()
    write('before')
    await backups.makeDue()
    const name = backups.list()[0]?.name ?? ''
    writeFileSync(join(root, 'backups', name), '')
    writeFileSync(path, 'damaged')
    expect(() => backups.restore(name)).toThrow('store/damaged')
    for (const other of ['../tsugi.db', 'tsugi-1.db', '']) {
      expect(() => backups.restore(other)).toThrow('file/not-found')
    }
    expect(readFileSync(path, 'utf8')).toBe('damaged')
  })

  it.skipIf(process.platform === 'win32')(
    'are regular files alone, wherever anything else has such a name',
    () => {
      const { root, backups, write } = place()
      write('kept')
      const folder = join(root, 'backups')
      writeFileSync(folder, 'no folder')
      expect(backups.list()).toEqual([])
      rmSync(folder)
      const sources = specialSources(tempFolder())
      const names = (['pipe', 'circle', 'dangling link', 'folder', 'device'] as const).map((kind, at) => {
        const name = `tsugi-2024010${at}T000000000Z.db`
        makeSpecial(kind, join(folder, name), sources)
        return name
      })
      expect(backups.list()).toEqual([])
      for (const name of names) expect(() => backups.restore(name)).toThrow()
    },
  )
})

it('due backups are made after a minute and then every hour until the host closes; a failure is logged', async () => {
  const clock = manualClock()
  const failures: unknown[] = []
  const log = {
    bug(error: unknown) {
      failures.push(error)
      return 'bug'
    },
  }
  const madeAt: number[] = []
  const begun = clock.now()
  const minutes = async (count: number): Promise<void> => {
    for (let past = 0; past < count; past += 1) await clock.advance(60_000)
  }
  const full = new Error('the disk is full')
  const makeDue = async (): Promise<void> => {
    madeAt.push((clock.now() - begun) / 60_000)
    if (madeAt.length === 2) throw full
  }
  const kept = keepBackups({ makeDue }, { clock, log })
  kept.begin()
  await minutes(125)
  expect(madeAt).toEqual([1, 61, 121])
  expect(failures).toEqual([full])
  kept.end()
  await minutes(120)
  expect(madeAt).toHaveLength(3)
})

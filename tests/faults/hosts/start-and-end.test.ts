/** The host's start beside another host and on data that it cannot open, and its end. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { contract } from '../../../src/shared/contract/index.ts'
import type { HostEvent } from '../../../src/shared/domain/app/host-info.ts'
import { connect } from '../../../src/shared/rpc/connect.ts'
import { openHostPort } from '../../e2e/support/host-client.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'
import { runHost, startTestHost } from '../support/host-process.ts'
import { openTestWindow } from '../support/test-window.ts'

describe('a second start on the same data folder', () => {
  it('hands its folder to the windows of the first, prints the address and ends well', async () => {
    const [dataDir, other] = [tempFolder(), tempFolder()]
    const first = await startTestHost(dataDir)
    const client = connect(await openHostPort(first.link), contract)
    const events: HostEvent[] = []
    void (async () => {
      for await (const event of client['host.watch']({})) events.push(event)
    })().catch(() => undefined)
    await client['host.info']({})

    const { code, output } = await runHost(['--data', dataDir, '--project', other])
    expect([code, output.includes(first.link)]).toEqual([0, true])
    await eventually(() => expect(events).toEqual([{ type: 'open-path', path: other }]))
    // A window that is opened only now opens it too.
    expect(await client['host.info']({})).toMatchObject({ openPath: other })
  })

  it('leaves its compiled code beside the build, where the start on other data finds it', async () => {
    const dataDir = tempFolder()
    // The tests keep compiled code elsewhere.
    const env = { NODE_COMPILE_CACHE: '' }
    await startTestHost(dataDir, { env })
    const kept = join(import.meta.dirname, '../../../out/main/compiled')
    rmSync(kept, { recursive: true, force: true })
    expect((await runHost(['--data', dataDir], { env })).code).toBe(0)
    expect([existsSync(kept), existsSync(join(dataDir, 'compiled'))]).toEqual([true, false])
  })

  it('opens a browser with a link of its own that is good for one time', async () => {
    const [dataDir, programs] = [tempFolder(), tempFolder()]
    const opened = join(programs, 'opened')
    writeFileSync(join(programs, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 })
    const first = await startTestHost(dataDir)
    const { code, output } = await runHost(['--data', dataDir], {
      canOpenBrowser: true,
      env: { DISPLAY: ':9', PATH: `${programs}:${process.env.PATH}` },
    })
    expect([code, output.includes(first.link)]).toEqual([0, true])
    const link = await eventually(() => readFileSync(opened, 'utf8').trim())
    expect(link).not.toBe(first.link)
    const port = await openHostPort(link)
    port.close()
    await expect(openHostPort(link)).rejects.toThrow('401')
  })

  it('is not kept out by a host that was killed', async () => {
    const dataDir = tempFolder()
    const first = await startTestHost(dataDir)
    await first.kill()
    expect(existsSync(join(dataDir, 'host.sock'))).toBe(true)
    const second = await startTestHost(dataDir)
    expect(second.link).not.toBe(first.link)
    await second.stop()
  })
})

/** The data folder that a host left; made once. */
let made: Promise<string> | undefined
async function dataOfHost(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsugi-left-'))
  const host = await startTestHost(dataDir)
  await host.stop()
  return dataDir
}
afterAll(async () => {
  if (made !== undefined) rmSync(await made, { recursive: true })
})

describe('a start that cannot be', () => {
  it.each([
    [
      'damaged',
      (file: string) => writeFileSync(file, 'SQLite format 3\0 and then nothing of the kind'),
      'tsugi.db',
    ],
    ['empty', (file: string) => writeFileSync(file, ''), 'tsugi.db'],
    ['newer', (file: string) => changeDatabase(file, (db) => db.pragma('user_version = 999')), 'Tsugi'],
    [
      'of another program',
      (file: string) => changeDatabase(file, (db) => db.pragma('application_id = 7')),
      'tsugi.db',
    ],
  ])('says of a database that is %s in one sentence, and leaves it as it is', async (_what, spoil, named) => {
    const dataDir = tempFolder()
    const file = join(dataDir, 'tsugi.db')
    made ??= dataOfHost()
    cpSync(await made, dataDir, { recursive: true })
    spoil(file)
    const before = hashOf(file)

    const { code, output } = await runHost(['--data', dataDir])
    expect(code).toBe(1)
    expect(output).toContain(named)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).not.toContain('    at ')
    expect(hashOf(file)).toBe(before)
    expect(existsSync(join(dataDir, 'host.sock'))).toBe(false)
  })

  it.each([
    ['a folder as host.lock', (dataDir: string) => mkdirSync(join(dataDir, 'host.lock')), 'host.lock'],
    [
      'garbage as host.lock',
      (dataDir: string) => writeFileSync(join(dataDir, 'host.lock'), 'x'.repeat(5_000)),
      'host.lock',
    ],
    ['a folder as host.json', (dataDir: string) => mkdirSync(join(dataDir, 'host.json')), 'host.json'],
    [
      'a file as checkpoints',
      (dataDir: string) => writeFileSync(join(dataDir, 'checkpoints'), ''),
      'checkpoints',
    ],
    ['a file as logs', (dataDir: string) => writeFileSync(join(dataDir, 'logs'), ''), 'logs'],
  ])('says in one sentence what is wrong with a data folder that has %s', async (_what, spoil, named) => {
    const dataDir = tempFolder()
    spoil(dataDir)
    const { code, output } = await runHost(['--data', dataDir])
    expect(code).toBe(1)
    expect(output).toContain(join(dataDir, named))
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).not.toContain('    at ')
  })

  it('says that a data folder is a file, or lies in one', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, '')
    for (const dataDir of [file, join(file, 'below')]) {
      const { code, output } = await runHost(['--data', dataDir])
      expect([code, output.includes(dataDir), output.trim().split('\n').length]).toEqual([1, true, 1])
    }
  })

  it('says that its port is taken, and ends', async () => {
    const first = await startTestHost(tempFolder())
    const { port } = new URL(first.link)
    const dataDir = tempFolder()
    const { code, output } = await runHost(['--data', dataDir, '--port', port])
    expect([code, output.includes(port), output.trim().split('\n').length]).toEqual([1, true, 1])
    expect(leftBehind(dataDir)).toEqual([])
  })

  it('says which option it does not know', async () => {
    const { code, output } = await runHost(['--data', tempFolder(), '--nonsense'])
    expect([code, output.includes('--nonsense')]).toEqual([2, true])
  })
})

describe('a host that is asked to end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s: saves what was typed last, ends its children and leaves nothing open',
    async (signal) => {
      const [dataDir, root] = [tempFolder(), tempFolder()]
      const file = join(root, '01.txt')
      writeFileSync(file, '本文\n')
      mkdirSync(join(dataDir, 'models'))
      const model = join(dataDir, 'models', 'tiny.gguf')
      writeTinyGguf(model, { says: '吾輩は猫である' })
      const host = await startTestHost(dataDir)
      const window = await openTestWindow(host.link, root)
      await window.client['model.use']({ backend: 'embedded', file: model })
      await window.client['draft.start']({ workId: window.workId, path: '01.txt' })
      const children = await eventually(() => {
        const found = childrenOf(host.process.pid)
        expect(found).toHaveLength(1)
        return found
      })
      const document = await window.open('01.txt')
      document.type('最後の一文。\n')
      await document.synced()

      host.process.kill(signal)
      // A parent may pass on what the terminal has sent already.
      await host.stop()
      expect(host.process.exitCode).toBe(0)
      expect(readFileSync(file, 'utf8')).toBe('本文\n最後の一文。\n')
      expect(children.filter(isAlive)).toEqual([])
      expect(leftBehind(dataDir)).toEqual([])
      expect(readdirSync(root)).toEqual(['01.txt'])
    },
  )

  it('ends where its engine hangs, with what was typed saved and no process left', async () => {
    const [dataDir, root] = [tempFolder(), tempFolder()]
    writeFileSync(join(root, '01.txt'), '本文\n')
    mkdirSync(join(dataDir, 'models'))
    const model = join(dataDir, 'models', 'tiny.gguf')
    writeTinyGguf(model, { says: '吾輩は猫である' })
    const host = await startTestHost(dataDir)
    const window = await openTestWindow(host.link, root)
    await window.client['model.use']({ backend: 'embedded', file: model })
    await window.client['draft.start']({ workId: window.workId, path: '01.txt' })
    const children = await eventually(() => {
      const found = childrenOf(host.process.pid)
      expect(found).toHaveLength(1)
      return found
    })
    for (const child of children) process.kill(child, 'SIGSTOP')
    const document = await window.open('01.txt')
    document.type('最後の一文。\n')
    await document.synced()
    await host.stop()
    expect(readFileSync(join(root, '01.txt'), 'utf8')).toContain('最後の一文。')
    await eventually(() => expect(children.filter(isAlive)).toEqual([]))
  })

  it('ends also where it is asked as soon as its link is there', async () => {
    const host = await startTestHost(tempFolder())
    await host.stop()
    expect(host.process.exitCode).toBe(0)
  })
})

function changeDatabase(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file)
  change(db)
  db.close()
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Returns the files that only a running host has in its data folder. */
function leftBehind(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => /\.sock$|-wal$|-shm$|-journal$|\.tmp$/.test(name))
}

function childrenOf(pid: number | undefined): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { overlaysAt } from '../../../../tests/fakes/rigs/overlay-parts.ts'
import {
  globIn,
  linesIn,
  move,
  overlayRig,
  remove,
  textIn,
  workedOut,
  write,
} from '../../../../tests/fakes/rigs/overlay-rig.ts'
import { toolRig } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { systemRandom } from '../../platform/random.ts'
import type { CommandRequest } from '../../tools/tool-operations.ts'

const never = new AbortController().signal
const nobody = (): void => undefined

function refusal(code: string) {
  return { info: { code } }
}

function command(isReadOnly: boolean): CommandRequest {
  return { line: 'ls', folder: '.', timeoutMs: 1_000, isBackground: false, isReadOnly }
}

/** A moment that a test decides: `reached` says that it was, `go` lets it pass. */
function moment() {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    go: () => go.resolve(),
    async pass() {
      reached.resolve()
      await go.promise
    },
  }
}

describe('what an overlay remembers', () => {
  it('has the hash of each file at its first read, also where only a line of it was shown', async () => {
    const rig = overlayRig()
    for (const name of ['read', 'shown', 'changed', 'listed', 'gone']) rig.write(`${name}.txt`, `${name} x`)
    const overlay = await rig.open()
    const { operations } = overlay
    await textIn(operations, 'read.txt')
    rig.write('read.txt', 'later')
    await textIn(operations, 'read.txt')
    expect(await linesIn(operations, { pattern: 'shown' })).toHaveLength(1)
    await write(operations, 'changed.txt', 'new')
    await remove(operations, 'gone.txt')
    await globIn(operations, '**')
    expect(overlay.reads()).toEqual(
      new Map([
        ['read.txt', contentHash('read x')],
        ['shown.txt', contentHash('shown x')],
      ]),
    )
  })

  it('counts what is unsaved in the window as the content', async () => {
    const rig = await toolRig()
    rig.write('open.txt', 'one\n')
    const watched = await rig.documents.watch('open.txt')
    const typed = { from: 0, to: 3, insert: 'ONE' }
    await rig.documents.service.edit({ root: rig.root, path: 'open.txt' }, typed, 'take')
    const { overlays } = overlayRig()
    const overlay = await overlays.open({ root: rig.root, base: rig.operations })
    await write(overlay.operations, 'open.txt', 'two\n')
    const [file] = await overlay.files()
    expect(Buffer.from(file?.baseBytes ?? []).toString()).toBe('ONE\n')
    expect(rig.text('open.txt')).toBe('ONE\n')
    await watched.stop()
  })

  it('keeps bytes and modes as they are, of small files and large ones', async () => {
    const rig = overlayRig()
    const large = Buffer.alloc(30_000_000, 'あいうえお\r\n')
    rig.write('large.txt', large)
    rig.write('tool.sh', '#!/bin/sh\r\n')
    await nodeDisk.writeNew(join(rig.root, 'locked.txt'), Buffer.from('x'), { mode: 0o444 })
    await nodeDisk.writeNew(join(rig.root, 'run.sh'), Buffer.from('run'), { mode: 0o755 })
    const overlay = await rig.open()
    const { operations } = overlay
    await write(operations, 'large.txt', Buffer.concat([large, Buffer.from([0xff, 0])]))
    await move(operations, 'run.sh', 'bin/run.sh')
    await operations.apply([await workedOut(operations, { write: 'made.sh', content: '#', mode: 0o700 })], '')
    await expect(write(operations, 'locked.txt', 'y')).rejects.toMatchObject(refusal('file/read-only'))
    const files = await overlay.files()
    expect(files.map(({ path, mode }) => [path, mode])).toEqual([
      ['bin/run.sh', 0o755],
      ['large.txt', null],
      ['made.sh', 0o700],
      ['run.sh', null],
    ])
    expect(files[1]?.newBytes?.length).toBe(large.length + 2)
    await expect(operations.read('large.txt', 1_000)).rejects.toMatchObject({
      info: { code: 'file/too-large', path: 'large.txt', sizeBytes: large.length + 2, limitBytes: 1_000 },
    })
  })

  it('refuses a change on what is not there any more, all of it', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'a')
    const overlay = await rig.open()
    const { operations } = overlay
    const late = await workedOut(operations, { write: 'a.txt', content: 'late' })
    await write(operations, 'a.txt', 'first')
    const other = await workedOut(operations, { write: 'b.txt', content: 'b' })
    await expect(operations.apply([other, late], '')).rejects.toMatchObject(refusal('file/changed'))
    expect((await overlay.files()).map(({ path }) => path)).toEqual(['a.txt'])
    // Nor is a file a folder that the same change makes.
    const [file, below] = ['x', 'x/y'].map((path) => {
      return { kind: 'write' as const, path, baseHash: null, bytes: Buffer.from('x') }
    })
    if (file === undefined || below === undefined) throw new Error('two changes')
    await expect(operations.apply([file, below], '')).rejects.toMatchObject(refusal('file/not-found'))
    await expect(operations.apply([file, file], '')).rejects.toMatchObject(refusal('file/exists'))
  })

  it('says that the disk is full before it writes, and leaves nothing', async () => {
    let free = 1_000_010
    const rig = overlayRig({ privateDisk: diskWith({ freeBytes: async () => free }) })
    rig.write('a.txt', 'a')
    const overlay = await rig.open()
    const full = { info: { code: 'file/disk-full', path: 'a.txt' } }
    await expect(write(overlay.operations, 'a.txt', 'more than ten bytes')).rejects.toMatchObject(full)
    expect(overlay.hasWrites).toBe(false)
    expect(await textIn(overlay.operations, 'a.txt')).toBe('a')
    free = 2_000_000
    await write(overlay.operations, 'a.txt', 'more than ten bytes')
    expect(await overlay.files()).toHaveLength(1)
  })

  it('reads and writes nothing at a place that is led elsewhere in between', async () => {
    let isSwapped = false
    const rig = overlayRig({
      base: (plain) => ({
        ...plain,
        async read(path, limit) {
          if (path === 'a.txt' && isSwapped) {
            rmSync(join(rig.root, 'a.txt'))
            symlinkSync('secret.txt', join(rig.root, 'a.txt'))
          }
          return plain.read(path, limit)
        },
      }),
    })
    rig.write('a.txt', 'a')
    rig.write('secret.txt', 'a')
    const overlay = await rig.open()
    const { operations } = overlay
    const change = await workedOut(operations, { write: 'a.txt', content: 'new' })
    isSwapped = true
    await expect(operations.apply([change], '')).rejects.toMatchObject(refusal('file/changed'))
    isSwapped = false
    // By now the path says where it leads.
    await expect(operations.apply([change], '')).rejects.toMatchObject(refusal('file/changed'))
    rmSync(join(rig.root, 'a.txt'))
    rig.write('a.txt', 'a')
    isSwapped = true
    await expect(operations.read('a.txt', 100)).rejects.toMatchObject(refusal('file/changed'))
    expect(overlay.hasWrites).toBe(false)
    expect([...overlay.reads().keys()]).toEqual(['a.txt'])
  })

  it('takes one change after the other: of two on the same content the second is refused', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'a')
    const { operations } = await rig.open()
    const [one, two] = await Promise.all([
      workedOut(operations, { write: 'a.txt', content: 'one' }),
      workedOut(operations, { write: 'a.txt', content: 'two' }),
    ])
    const both = await Promise.allSettled([operations.apply([one], ''), operations.apply([two], '')])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await textIn(operations, 'a.txt')).toBe('one')
  })
})

describe('commands of an overlay', () => {
  it('run only where they only read, and only before the first write', async () => {
    const rig = overlayRig()
    const { operations } = await rig.open()
    const run = (isReadOnly: boolean) => operations.execute(command(isReadOnly), nobody, never)
    expect(await run(true)).toMatchObject({ exitCode: 0 })
    await expect(run(false)).rejects.toMatchObject(refusal('command/not-read-only'))
    const behind = operations.execute({ ...command(true), isBackground: true }, nobody, never)
    await expect(behind).rejects.toMatchObject(refusal('command/not-read-only'))
    await write(operations, 'a.txt', 'a')
    await expect(run(true)).rejects.toMatchObject(refusal('command/not-read-only'))
    expect(await operations.stopCommand('any')).toBe(false)
    expect(rig.commands).toEqual(['ls'])
  })
})

describe('layers', () => {
  it('one on top sees what lies below, and its changes are made on that', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'a')
    rig.write('b.txt', 'b')
    const lower = await rig.open()
    await write(lower.operations, 'a.txt', 'lower')
    await remove(lower.operations, 'b.txt')
    const upper = await lower.stack()
    expect(upper.hasWrites).toBe(true)
    expect(await upper.files()).toEqual([])
    expect(await textIn(upper.operations, 'a.txt')).toBe('lower')
    expect(upper.reads()).toEqual(new Map([['a.txt', contentHash('lower')]]))
    await write(upper.operations, 'a.txt', 'upper')
    await write(upper.operations, 'b.txt', 'again')
    const files = await upper.files()
    expect(files.map(({ path, baseHash }) => [path, baseHash])).toEqual([
      ['a.txt', contentHash('lower')],
      ['b.txt', null],
    ])
    expect(await textIn(lower.operations, 'a.txt')).toBe('lower')
    expect(upper.overlayId).not.toBe(lower.overlayId)
    // Accepted or dropped, the lower one goes first.
    await lower.discard()
    expect(await textIn(upper.operations, 'a.txt')).toBe('upper')
    expect(await linesIn(upper.operations, { pattern: '.' })).toEqual(['a.txt:1:upper', 'b.txt:1:again'])
    expect((await upper.files())[0]?.baseBytes).toEqual(Buffer.from('lower'))
    await upper.discard()
    expect(readdirSync(join(rig.dataDir, 'overlays', rig.hostId))).toEqual([])
  })

  it('two overlays of one folder know nothing of each other', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'a')
    const [one, two] = await Promise.all([rig.open(), rig.open()])
    await write(one.operations, 'a.txt', 'one')
    await write(two.operations, 'a.txt', 'two')
    await one.discard()
    expect(await linesIn(two.operations, { pattern: '.' })).toEqual(['a.txt:1:two'])
    expect(rig.text('a.txt')).toBe('a')
  })
})

describe('the end of an overlay', () => {
  it('by an acceptance: everything goes to the folder from then on, after what still runs', async () => {
    const reading = moment()
    const rig = overlayRig({
      base: (plain) => ({
        ...plain,
        async read(path, limit) {
          if (path === 'slow.txt') await reading.pass()
          return plain.read(path, limit)
        },
      }),
    })
    rig.write('slow.txt', 'slow')
    rig.write('a.txt', 'a')
    const overlay = await rig.open()
    await write(overlay.operations, 'made.txt', 'only here')
    const running = textIn(overlay.operations, 'slow.txt')
    await reading.reached
    overlay.release()
    const order: string[] = []
    const both = [
      running.then(() => order.push('running')),
      overlay.operations.locate('made.txt').then(({ kind }) => order.push(`made ${kind}`)),
    ]
    reading.go()
    await Promise.all(both)
    expect(order).toEqual(['running', 'made none'])
    await write(overlay.operations, 'a.txt', 'real')
    expect(rig.text('a.txt')).toBe('real')
    await overlay.operations.execute(command(false), nobody, never)
    expect(rig.commands).toEqual(['ls'])
    // What was written before can still be applied, and then goes.
    expect((await overlay.files()).map(({ path }) => path)).toEqual(['made.txt'])
    await overlay.discard()
    expect(await globIn(overlay.operations, '**')).toEqual(['a.txt', 'slow.txt'])
  })

  it('by a rejection: nothing is left, also of what was just being written', async () => {
    const writing = moment()
    const privateDisk = diskWith({
      async writeNew(path, bytes, options) {
        await writing.pass()
        await nodeDisk.writeNew(path, bytes, options)
      },
    })
    const rig = overlayRig({ privateDisk })
    const overlay = await rig.open()
    const change = write(overlay.operations, 'a.txt', 'a')
    await writing.reached
    const end = overlay.discard()
    writing.go()
    await Promise.all([change, end, overlay.discard()])
    expect(readdirSync(join(rig.dataDir, 'overlays', rig.hostId))).toEqual([])
    await expect(overlay.operations.read('a.txt', 1)).rejects.toThrow('aborted')
    await expect(overlay.files()).rejects.toThrow('aborted')
    expect(readdirSync(rig.root)).toEqual([])
  })

  it('stops a search that goes on below', async () => {
    const searching = moment()
    const rig = overlayRig({
      base: (plain) => ({
        ...plain,
        async grep(query, signal, isSearched) {
          await searching.pass()
          return plain.grep(query, signal, isSearched)
        },
      }),
    })
    rig.write('a.txt', 'needle')
    const overlay = await rig.open()
    const search = linesIn(overlay.operations, { pattern: 'needle' })
    await searching.reached
    const end = overlay.discard()
    searching.go()
    await expect(search).rejects.toThrow('aborted')
    await end
  })
})

describe('what hosts that are gone have left', () => {
  it('is removed at the next start; ours and what is no host of ours stays', async () => {
    const rig = overlayRig()
    const mine = await rig.open()
    await write(mine.operations, 'a.txt', 'mine')
    const gone = overlaysAt({ dataDir: rig.dataDir, hostId: systemRandom.id() })
    const left = await gone.open(rig.folder)
    await write(left.operations, 'deep/er/a.txt', 'left')
    await globIn(left.operations, '**')
    const top = join(rig.dataDir, 'overlays')
    writeFileSync(join(top, 'README'), 'not ours')
    await rig.overlays.sweep()
    expect(readdirSync(top).sort()).toEqual([rig.hostId, 'README'].sort())
    expect(await textIn(mine.operations, 'a.txt')).toBe('mine')
  })

  it('is not looked for behind a link that somebody put there', async () => {
    const rig = overlayRig()
    const victim = tempFolder()
    writeFileSync(join(victim, 'kept.txt'), 'kept')
    const top = join(rig.dataDir, 'overlays')
    const host = join(top, 'a'.repeat(32))
    mkdirSync(join(host, 'x'), { recursive: true })
    symlinkSync(victim, join(top, 'b'.repeat(32)))
    symlinkSync(victim, join(host, 'x', 'link'))
    symlinkSync(join(victim, 'kept.txt'), join(host, 'x', 'file'))
    await rig.overlays.sweep()
    expect(readdirSync(top)).toEqual([])
    expect(readFileSync(join(victim, 'kept.txt'), 'utf8')).toBe('kept')

    const other = overlayRig()
    symlinkSync(victim, join(other.dataDir, 'overlays'))
    await expect(other.open()).rejects.toMatchObject(refusal('file/outside'))
    await other.overlays.sweep()
    expect(readdirSync(other.dataDir)).toEqual([])
    expect(readdirSync(victim)).toEqual(['kept.txt'])
    await other.open()
    expect(statSync(join(other.dataDir, 'overlays')).mode & 0o777).toBe(0o700)
  })

  it('is not followed to where a folder is led while it is removed', async () => {
    const victim = tempFolder()
    writeFileSync(join(victim, 'kept.txt'), 'kept')
    const dataDir = tempFolder()
    const host = join(dataDir, 'overlays', 'a'.repeat(32))
    mkdirSync(join(host, 'x'), { recursive: true })
    const disk = diskWith({
      async pinFolder(path) {
        if (path === join(host, 'x')) {
          await nodeDisk.removeFolder(path)
          symlinkSync(victim, path)
        }
        return nodeDisk.pinFolder(path)
      },
    })
    await overlaysAt({ dataDir, hostId: 'b'.repeat(32), disk }).sweep()
    expect(readdirSync(victim)).toEqual(['kept.txt'])
  })

  it('stays where it cannot be removed, and does not keep the host from starting', async () => {
    const dataDir = tempFolder()
    for (const letter of ['a', 'c'])
      mkdirSync(join(dataDir, 'overlays', letter.repeat(32)), { recursive: true })
    const disk = diskWith({
      async removeFolder(path) {
        if (path.endsWith('a')) throw systemError('EACCES')
        await nodeDisk.removeFolder(path)
      },
    })
    await overlaysAt({ dataDir, hostId: 'b'.repeat(32), disk }).sweep()
    expect(readdirSync(join(dataDir, 'overlays'))).toEqual(['a'.repeat(32)])
  })
})

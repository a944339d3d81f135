import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diskWith, systemError } from '../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { changeSetRig } from '../../../tests/fakes/rigs/change-set-rig.ts'
import { childProgram } from '../../../tests/fakes/victims/child-program.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import type { ApplyStep } from './apply-change-set.ts'
import type { FileChange } from './change-plan.ts'

const victim = await childProgram('change-set-victim')

function rig(
  options: { disk?: Disk; dataDir?: string; onStep?: (step: ApplyStep, path?: string) => void } = {},
) {
  const made = changeSetRig(options.dataDir ?? tempFolder(), options)
  onTestFinished(() => made.store.close())
  return made.changeSets
}

function project(files: Record<string, string>): string {
  const root = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return root
}

const read = (root: string, path: string): string | null =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null

const write = (path: string, base: string | null, text: string): FileChange => ({
  kind: 'write',
  path,
  baseHash: base === null ? null : contentHash(base),
  bytes: Buffer.from(text),
})

describe('a change set', () => {
  it('writes, makes, moves and deletes, keeps modes, and can be taken back', async () => {
    const root = project({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    chmodSync(join(root, 'b.txt'), 0o755)
    const changeSets = rig()
    const { id, conflicts, waiting } = await changeSets.apply({
      root,
      changes: [
        write('a.txt', 'a', 'A'),
        write('new/deep/x.txt', null, 'x'),
        { kind: 'move', path: 'b.txt', baseHash: contentHash('b'), to: 'B.txt' },
        { kind: 'delete', path: 'c.txt', baseHash: contentHash('c') },
      ],
    })
    expect({ conflicts, waiting }).toEqual({ conflicts: [], waiting: [] })
    expect(readdirSync(root).sort()).toEqual(['B.txt', 'a.txt', 'new'])
    expect(statSync(join(root, 'B.txt')).mode & 0o777).toBe(0o755)
    await changeSets.undo(id)
    expect([read(root, 'a.txt'), read(root, 'b.txt'), read(root, 'c.txt')]).toEqual(['a', 'b', 'c'])
    expect(statSync(join(root, 'b.txt')).mode & 0o777).toBe(0o755)
    expect(read(root, 'new/deep/x.txt')).toBeNull()
  })

  it('writes through a link that stays inside, and deletes no link', async () => {
    const root = project({ 'real.txt': 'r' })
    symlinkSync('real.txt', join(root, 'alias.txt'))
    const changeSets = rig()
    await changeSets.apply({ root, changes: [write('alias.txt', 'r', 'R')] })
    expect(read(root, 'real.txt')).toBe('R')
    expect(readdirSync(root)).toHaveLength(2)
    const deletion: FileChange = { kind: 'delete', path: 'alias.txt', baseHash: contentHash('R') }
    await expect(changeSets.apply({ root, changes: [deletion] })).rejects.toThrow('file/denied')
  })

  it.each([
    ['a file that changed', [write('a.txt', 'other', 'A')], 'file/changed'],
    ['a file that is there already', [write('a.txt', null, 'A')], 'file/changed'],
    ['a file that is gone', [write('z.txt', 'z', 'Z')], 'file/changed'],
    ['a way out', [write('../z.txt', null, 'Z')], 'file/outside'],
    ['a bad name', [write('con.txt', null, 'Z')], 'file/bad-name'],
    ['one file twice', [write('b.txt', null, '1'), write('b.txt', null, '2')], 'file/exists'],
    [
      'a move onto a file',
      [{ kind: 'move', path: 'a.txt', baseHash: contentHash('a'), to: 'c.txt' } as const],
      'file/exists',
    ],
  ])('leaves everything as it was for %s', async (_name, changes, code) => {
    const root = project({ 'a.txt': 'a', 'c.txt': 'c' })
    const good = write('first.txt', null, 'first')
    await expect(rig().apply({ root, changes: [good, ...changes] })).rejects.toThrow(code)
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'c.txt'])
  })

  it('writes the rows of its caller in the same transaction, or nothing', async () => {
    const root = project({})
    const changeSets = rig()
    const alsoWrite = (): never => {
      throw new Error('the caller could not write')
    }
    await expect(
      changeSets.apply({ root, changes: [write('a.txt', null, 'a')], alsoWrite }),
    ).rejects.toThrow()
    expect(readdirSync(root)).toEqual([])
    expect(await changeSets.recover()).toEqual([])
  })

  it('refuses to undo over an edit that came later', async () => {
    const root = project({ 'a.txt': 'a', 'b.txt': 'b' })
    const changeSets = rig()
    const { id } = await changeSets.apply({
      root,
      changes: [write('a.txt', 'a', 'A'), write('b.txt', 'b', 'B')],
    })
    writeFileSync(join(root, 'b.txt'), 'mine')
    await expect(changeSets.undo(id)).rejects.toThrow('file/changed')
    expect([read(root, 'a.txt'), read(root, 'b.txt')]).toEqual(['A', 'mine'])
  })

  it('forgets old ones with the bytes that only they held', async () => {
    const dataDir = tempFolder()
    const root = project({ 'a.txt': 'a' })
    const changeSets = rig({ dataDir })
    const { id } = await changeSets.apply({ root, changes: [write('a.txt', 'a', 'A')] })
    await changeSets.prune(0)
    expect(changeSets.get(id)?.state).toBe('done')
    await changeSets.prune(Date.now() + 1)
    expect(changeSets.get(id)).toBeUndefined()
    const left = readdirSync(join(dataDir, 'checkpoints'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
  })
})

describe('faults', () => {
  it('kill -9 at any step leaves all or nothing, and all after recovery from the commit point on', async () => {
    const outcomes: string[] = []
    for (let step = 1; step <= 40; step++) {
      const root = project({ 'a.txt': 'a old', 'c.txt': 'c', 'd.txt': 'd' })
      const dataDir = tempFolder()
      const child = spawnSync(process.execPath, [victim, dataDir, root, String(step)], { encoding: 'utf8' })
      const results = await rig({ dataDir }).recover()
      expect(results.flatMap((result) => [...result.conflicts, ...result.waiting])).toEqual([])
      const state = ['a.txt', 'new/b.txt', 'c.txt', 'moved/c.txt', 'd.txt'].map((path) => read(root, path))
      outcomes.push(JSON.stringify(state))
      if (child.signal === null) {
        expect(child.stderr).toBe('')
        expect(child.stdout).toContain('finished')
        break
      }
    }
    const nothing = JSON.stringify(['a old', null, 'c', null, 'd'])
    const all = JSON.stringify(['a new', 'b new', null, 'c', null])
    // Steps before the commit are `planned` and `stored`; every later one ends in the whole change.
    expect(outcomes.slice(0, 2)).toEqual([nothing, nothing])
    expect(outcomes.length).toBeGreaterThan(10)
    expect(outcomes.slice(2)).toEqual(outcomes.slice(2).map(() => all))
  })

  it('a disk that is full from the start: nothing is touched', async () => {
    const root = project({ 'a.txt': 'a' })
    const disk = diskWith({ freeBytes: async () => 100 })
    await expect(rig({ disk }).apply({ root, changes: [write('a.txt', 'a', 'A')] })).rejects.toThrow(
      'file/disk-full',
    )
    expect(read(root, 'a.txt')).toBe('a')
  })

  it('a disk that fills while the change is stored: nothing is touched', async () => {
    const root = project({ 'a.txt': 'a' })
    const disk = diskWith({ writeNew: () => Promise.reject(systemError('ENOSPC')) })
    await expect(rig({ disk }).apply({ root, changes: [write('a.txt', 'a', 'A')] })).rejects.toThrow(
      'file/disk-full',
    )
    expect(read(root, 'a.txt')).toBe('a')
  })

  it('a disk that fills after the commit: all is taken back, and nothing is done at a later start', async () => {
    const root = project({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    let isFull = true
    const disk = diskWith({
      writeNew: (path, bytes, options) => {
        if (isFull && !path.includes('checkpoints') && bytes.toString() === 'B') throw systemError('ENOSPC')
        return nodeDisk.writeNew(path, bytes, options)
      },
    })
    const changeSets = rig({ disk })
    const changes = [
      write('a.txt', 'a', 'A'),
      write('b.txt', 'b', 'B'),
      { kind: 'delete', path: 'c.txt', baseHash: contentHash('c') } as const,
    ]
    await expect(changeSets.apply({ root, changes })).rejects.toThrow('file/disk-full')
    expect([read(root, 'a.txt'), read(root, 'b.txt'), read(root, 'c.txt')]).toEqual(['a', 'b', 'c'])
    isFull = false
    expect(await changeSets.recover()).toEqual([])
    expect([read(root, 'a.txt'), read(root, 'b.txt'), read(root, 'c.txt')]).toEqual(['a', 'b', 'c'])
  })

  it('a disk that fills after many files are in place: they are taken back, from one file of checkpoints', async () => {
    const names = Array.from({ length: 80 }, (_, at) => `${String(at).padStart(2, '0')}.txt`)
    const root = project(Object.fromEntries(names.map((name) => [name, `old ${name}`])))
    const texts = (): string[] => names.map((name) => read(root, name) ?? '')
    const before = texts()
    let [isFull, written] = [true, 0]
    const disk = diskWith({
      writeNew: (path, bytes, options) => {
        if (isFull && bytes.toString() === 'new 70.txt') throw systemError('ENOSPC')
        return nodeDisk.writeNew(path, bytes, options)
      },
    })
    const onStep = (step: ApplyStep): void => {
      if (step === 'file-written') written += 1
    }
    const dataDir = tempFolder()
    const changeSets = rig({ disk, dataDir, onStep })
    const changes = names.map((name) => write(name, `old ${name}`, `new ${name}`))
    await expect(changeSets.apply({ root, changes })).rejects.toThrow('file/disk-full')
    expect(written).toBeGreaterThan(names.length / 2)
    expect(texts()).toEqual(before)
    expect(readdirSync(root)).toHaveLength(names.length)
    isFull = false
    expect(await changeSets.recover()).toEqual([])
    const { id } = await changeSets.apply({ root, changes })
    expect(texts()).toEqual(names.map((name) => `new ${name}`))
    await rig({ dataDir }).undo(id)
    expect(texts()).toEqual(before)
  })

  it('contents are synced before the first rename, and each folder once behind the last', async () => {
    const root = project({ 'a.txt': 'a', 'b.txt': 'b' })
    const order: string[] = []
    const disk = diskWith({
      async writeNew(path, bytes, options) {
        await nodeDisk.writeNew(path, bytes, options)
        if (!path.includes('checkpoints') && options.isSynced !== false) order.push('synced')
      },
      async rename(from, to, replaced) {
        await nodeDisk.rename(from, to, replaced)
        if (!to.includes('checkpoints')) order.push('renamed')
      },
      async pinFolder(path) {
        const folder = await nodeDisk.pinFolder(path)
        const sync = async (): Promise<void> => {
          await folder.sync()
          if (path === root) order.push('folder')
        }
        return { ...folder, sync }
      },
    })
    const onStep = (step: ApplyStep): void => {
      if (step === 'committed' || step === 'finished') order.push(step)
    }
    await rig({ disk, onStep }).apply({ root, changes: [write('a.txt', 'a', 'A'), write('b.txt', 'b', 'B')] })
    expect(order).toEqual(['committed', 'synced', 'synced', 'renamed', 'renamed', 'folder', 'finished'])
  })

  it('a file that somebody edits after the plan is left alone and named', async () => {
    const root = project({ 'a.txt': 'a', 'b.txt': 'b' })
    const onStep = (step: ApplyStep, path?: string): void => {
      if (step === 'before-rename' && path === 'b.txt') writeFileSync(join(root, 'b.txt'), 'theirs')
    }
    const applied = await rig({ onStep }).apply({
      root,
      changes: [write('a.txt', 'a', 'A'), write('b.txt', 'b', 'B')],
    })
    expect(applied.conflicts).toEqual(['b.txt'])
    expect([read(root, 'a.txt'), read(root, 'b.txt')]).toEqual(['A', 'theirs'])
    expect(readdirSync(root)).toHaveLength(2)
  })

  it('a moved file whose new place is taken meanwhile stays where it was', async () => {
    const root = project({ 'a.txt': 'a' })
    const onStep = (step: ApplyStep): void => {
      if (step === 'committed') writeFileSync(join(root, 'b.txt'), 'theirs')
    }
    const move = { kind: 'move', path: 'a.txt', baseHash: contentHash('a'), to: 'b.txt' } as const
    const applied = await rig({ onStep }).apply({ root, changes: [move] })
    expect(applied.conflicts).toEqual(['b.txt', 'a.txt'])
    expect([read(root, 'a.txt'), read(root, 'b.txt')]).toEqual(['a', 'theirs'])
  })

  it('a read-only file or a closed folder is refused before anything is touched', async () => {
    const root = project({ 'a.txt': 'a', 'b.txt': 'b' })
    chmodSync(join(root, 'b.txt'), 0o444)
    const changes = [write('a.txt', 'a', 'A'), write('b.txt', 'b', 'B')]
    await expect(rig().apply({ root, changes })).rejects.toThrow('file/read-only')
    const disk = diskWith({ canWrite: async () => false })
    await expect(rig({ disk }).apply({ root, changes: [write('a.txt', 'a', 'A')] })).rejects.toThrow(
      'file/denied',
    )
    expect(read(root, 'a.txt')).toBe('a')
  })

  it.each(['committed', 'before-rename'] as const)(
    'a folder that becomes a link outwards at step %s leads nothing out',
    async (fatal) => {
      const outside = project({ 'x.txt': 'x' })
      const root = project({})
      mkdirSync(join(root, 'sub'))
      writeFileSync(join(root, 'sub/x.txt'), 'x')
      const onStep = (step: ApplyStep): void => {
        if (step !== fatal) return
        renameSync(join(root, 'sub'), join(root, 'old'))
        symlinkSync(outside, join(root, 'sub'))
      }
      const applied = await rig({ onStep }).apply({ root, changes: [write('sub/x.txt', 'x', 'X')] })
      expect(applied.conflicts).toEqual(['sub/x.txt'])
      expect(readdirSync(outside)).toEqual(['x.txt'])
      expect(read(outside, 'x.txt')).toBe('x')
      expect(readdirSync(join(root, 'old'))).toEqual(['x.txt'])
    },
  )

  it('a host that is killed while it removes the only file of a folder leaves no folder behind', async () => {
    const [dataDir, root] = [tempFolder(), project({})]
    mkdirSync(join(root, 'old'))
    writeFileSync(join(root, 'old/f.txt'), 'f')
    const { mode } = statSync(join(root, 'old'))
    const killed = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<never>()
    const disk = diskWith({
      remove(path) {
        if (!path.endsWith('-old.tmp')) return nodeDisk.remove(path)
        killed.resolve()
        return isOver.promise
      },
    })
    const applying = rig({ dataDir, disk }).apply({
      root,
      changes: [{ kind: 'delete', path: 'old/f.txt', baseHash: contentHash('f') }],
      entries: [{ path: 'old', before: { kind: 'folder', mode: mode & 0o777 }, after: null }],
    })
    await killed.promise
    await rig({ dataDir }).recover()
    expect(readdirSync(root)).toEqual([])
    isOver.reject(systemError('EIO'))
    await applying.catch(() => undefined)
  })

  it('a project folder that is away keeps its change for later', async () => {
    const dataDir = tempFolder()
    const root = project({ 'a.txt': 'a' })
    const away = `${root}-away`
    onTestFinished(() => rmSync(away, { recursive: true, force: true }))
    const onStep = (step: ApplyStep): void => {
      if (step === 'committed') renameSync(root, away)
    }
    const changeSets = rig({ dataDir, onStep })
    const applied = await changeSets.apply({ root, changes: [write('a.txt', 'a', 'A')] })
    expect(applied.waiting).toMatchObject([{ path: 'a.txt' }])
    renameSync(away, root)
    await changeSets.recover()
    expect(read(root, 'a.txt')).toBe('A')
  })
})

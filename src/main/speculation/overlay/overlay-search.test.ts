import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import {
  globIn,
  grepIn,
  linesIn,
  move,
  namesIn,
  overlayRig,
  remove,
  textIn,
  twoFolders,
  write,
} from '../../../../tests/fakes/rigs/overlay-rig.ts'
import { contentHash } from '../../platform/files/content-hash.ts'

describe('a search in an overlay', () => {
  it('finds what was written and nothing that it replaced, in the order of paths', async () => {
    const rig = overlayRig()
    for (const path of ['b-2.txt', 'b-10.txt', 'src/c.txt', 'z.txt']) rig.write(path, 'old needle\n')
    const { operations } = await rig.open()
    await write(operations, 'b-2.txt', 'new needle\n')
    await write(operations, 'b-3.txt', iconv.encode('針 needle\n', 'Shift_JIS'))
    await remove(operations, 'src/c.txt')
    await move(operations, 'z.txt', 'a/moved.txt')
    expect(await linesIn(operations, { pattern: 'needle' })).toEqual([
      'a/moved.txt:1:old needle',
      'b-2.txt:1:new needle',
      'b-3.txt:1:針 needle',
      'b-10.txt:1:old needle',
    ])
    expect(await globIn(operations, '**')).toEqual(['a/moved.txt', 'b-2.txt', 'b-3.txt', 'b-10.txt'])
    expect(await linesIn(operations, { pattern: '針', isLiteral: true })).toHaveLength(1)
    expect(await linesIn(operations, { pattern: 'needle', path: 'a' })).toEqual(['a/moved.txt:1:old needle'])
    expect((await grepIn(operations, { pattern: '[', path: 'a' })).problem).toContain('regex')
    await expect(linesIn(operations, { path: 'src/c.txt' })).rejects.toMatchObject({
      info: { code: 'file/not-found', path: 'src/c.txt' },
    })
  })

  it('shows as many lines and names as are wanted, and says where it was cut', async () => {
    const rig = overlayRig()
    for (let at = 0; at < 6; at++) rig.write(`${at}.txt`, 'needle\n')
    const { operations } = await rig.open()
    await remove(operations, '0.txt')
    await remove(operations, '1.txt')
    await write(operations, '2a.txt', 'needle\n')
    const hits = async (limit: number) => {
      const { matches, isCut } = await grepIn(operations, { pattern: 'needle', limit })
      return [matches.length, isCut]
    }
    expect(await hits(5)).toEqual([5, false])
    expect(await hits(4)).toEqual([4, true])
    const never = new AbortController().signal
    expect(await operations.glob('*.txt', 4, never)).toEqual({
      paths: ['2.txt', '2a.txt', '3.txt', '4.txt'],
      isCut: true,
    })
    expect((await operations.glob('*.txt', 5, never)).isCut).toBe(false)
  })

  it('leaves out what the folder ignores, but nothing that was written, except in hidden folders', async () => {
    const rig = overlayRig()
    rig.write('.gitignore', '*.log\nbuild/\n')
    for (const path of ['a.log', 'src/b.txt', 'build/c.txt']) rig.write(path, 'needle\n')
    const { operations } = await rig.open()
    const shown = ['.github/x.yml', 'build/x.txt', 'src/b.txt', 'src/new.log']
    for (const path of ['src/new.log', 'build/x.txt', '.github/x.yml', '.hidden/x.txt', '.env'])
      await write(operations, path, 'needle\n')
    expect(await globIn(operations, '**')).toEqual(['.github/x.yml', '.gitignore', ...shown.slice(1)])
    expect((await linesIn(operations, { pattern: 'needle' })).map((line) => line.split(':')[0])).toEqual(
      shown,
    )
    expect(await globIn(operations, 'src/**')).toEqual(['src/b.txt', 'src/new.log'])
    // Asked for by its name, a folder is searched as it is.
    expect(await linesIn(operations, { path: 'build' })).toEqual([
      'build/c.txt:1:needle',
      'build/x.txt:1:needle',
    ])
    expect(await textIn(operations, '.env')).toBe('needle\n')
    expect(await namesIn(operations, 'build')).toEqual(['c.txt', 'x.txt'])
  })

  it('holds a file as read whose line it showed, not one that nobody may see', async () => {
    const rig = overlayRig()
    for (const name of ['a', 'b', 'c']) rig.write(`${name}.txt`, `needle ${name}\n`)
    const overlay = await rig.open()
    await write(overlay.operations, 'c.txt', 'needle here\n')
    const query = {
      pattern: 'needle',
      isLiteral: true,
      ignoreCase: false,
      path: '.',
      glob: null,
      contextLines: 0,
    }
    const signal = new AbortController().signal
    const isSearched = (path: string): boolean => path !== 'b.txt'
    const { matches } = await overlay.operations.grep({ ...query, limit: 10 }, signal, isSearched)
    expect(matches.map(({ path }) => path)).toEqual(['a.txt', 'c.txt'])
    expect(overlay.reads()).toEqual(new Map([['a.txt', contentHash('needle a\n')]]))
  })

  it('says that a line was read whose file is gone by then', async () => {
    const rig = overlayRig({
      base: (plain) => ({
        ...plain,
        read: (path, limit) => plain.read(path === 'a.txt' ? 'gone.txt' : path, limit),
      }),
    })
    rig.write('a.txt', 'needle\n')
    const overlay = await rig.open()
    expect(await linesIn(overlay.operations, { pattern: 'needle' })).toHaveLength(1)
    expect(overlay.reads()).toEqual(new Map([['a.txt', '']]))
  })

  it('works where files can have one name only', async () => {
    const noLinks = diskWith({
      link: async () => {
        throw systemError('EPERM')
      },
    })
    const rig = overlayRig({ privateDisk: noLinks })
    const { operations } = await rig.open()
    await write(operations, 'sub/a.txt', 'needle\n')
    expect(await linesIn(operations, { pattern: 'needle' })).toEqual(['sub/a.txt:1:needle'])
    await write(operations, 'sub/a.txt', 'needle again\n')
    expect(await linesIn(operations, { pattern: 'needle' })).toEqual(['sub/a.txt:1:needle again'])
  })

  it('says that the disk is full, and searches again when it is not', async () => {
    let isFull = true
    const privateDisk = diskWith({
      link: async (from, to) => {
        if (isFull) throw systemError('ENOSPC')
        await noneFull.link(from, to)
      },
    })
    const noneFull = diskWith({})
    const { operations } = await overlayRig({ privateDisk }).open()
    await write(operations, 'a.txt', 'needle\n')
    await expect(globIn(operations, '**')).rejects.toMatchObject({ info: { code: 'file/disk-full' } })
    isFull = false
    expect(await globIn(operations, '**')).toEqual(['a.txt'])
  })
})

describe('paths of an overlay', () => {
  it('are found by either composition, and through links', async () => {
    const rig = overlayRig()
    const [composed, parts] = ['が.txt', 'が.txt'.normalize('NFD')]
    rig.write(`dir/${parts}`, 'old')
    symlinkSync('dir', join(rig.root, 'link'))
    symlinkSync(`dir/${parts}`, join(rig.root, 'file.txt'))
    const overlay = await rig.open()
    const { operations } = overlay
    await write(operations, `link/${composed}`, 'new')
    await write(operations, 'link/made/ぱ.txt', 'made')
    expect(await textIn(operations, `link/made/${'ぱ.txt'.normalize('NFD')}`)).toBe('made')
    expect(await textIn(operations, 'file.txt')).toBe('new')
    expect(await globIn(operations, 'link/**')).toEqual(['dir/made/ぱ.txt', `dir/${parts}`])
    expect((await overlay.files()).map(({ path }) => path)).toEqual(['dir/made/ぱ.txt', `dir/${parts}`])
    await remove(operations, `dir/${composed}`)
    // The link is still there and leads nowhere.
    await expect(operations.locate('file.txt')).rejects.toMatchObject({ info: { code: 'file/not-found' } })
    expect(await namesIn(operations, '.')).toEqual(['dir (folder)', 'file.txt (link)', 'link (link)'])
  })

  it('are found by their twin where one of two compositions is gone', async () => {
    const rig = overlayRig()
    const [composed, parts] = ['が.txt', 'が.txt'.normalize('NFD')]
    rig.write(composed, 'one')
    rig.write(parts, 'two')
    const { operations } = await rig.open()
    await remove(operations, composed)
    expect(await operations.locate(composed)).toMatchObject({ kind: 'file', path: parts })
    expect(await textIn(operations, composed)).toBe('two')
    await remove(operations, composed)
    expect(await operations.locate(composed)).toMatchObject({ kind: 'none' })
    expect(await namesIn(operations, '.')).toEqual([])
  })

  it('of a file become those of a folder', async () => {
    const rig = overlayRig()
    rig.write('a', 'file')
    const overlay = await rig.open()
    const { operations } = overlay
    await remove(operations, 'a')
    await write(operations, 'a/b/c.txt', 'needle\n')
    expect(await operations.locate('a')).toMatchObject({ kind: 'folder', sizeBytes: null, missing: [] })
    expect(await operations.locate('a/b/x/y')).toMatchObject({ kind: 'none', missing: ['x', 'y'] })
    expect(await namesIn(operations, 'a')).toEqual(['b (folder)'])
    expect(await globIn(operations, 'a/**')).toEqual(['a/b/c.txt'])
    await remove(operations, 'a/b/c.txt')
    expect(await namesIn(operations, 'a/b')).toEqual([])
    expect(await linesIn(operations, { path: 'a' })).toEqual([])
    expect((await overlay.files()).map(({ path, newBytes }) => [path, newBytes])).toEqual([['a', null]])
  })

  it('lie in several folders', async () => {
    const [root, added] = [tempFolder(), tempFolder()]
    const folder = twoFolders(root, added)
    const rig = overlayRig({ root })
    mkdirSync(join(added, 'lib'))
    rig.write('a.txt', 'needle\n')
    const there = overlayRig({ root: added })
    there.write('lib/old.txt', 'needle\n')
    there.write('.gitignore', '*.log\n')
    const overlay = await rig.overlays.open(folder)
    const { operations } = overlay
    const file = `${added}/lib/new.txt`
    for (const path of [file, `${added}/lib/x.log`, `${added}/.github/ci.yml`])
      await write(operations, path, 'needle\n')
    await write(operations, 'b.txt', 'needle\n')
    expect(await globIn(operations, '**')).toEqual(['a.txt', 'b.txt'])
    expect(await globIn(operations, `${added}/**/*.txt`)).toEqual([file, `${added}/lib/old.txt`])
    expect(
      (await linesIn(operations, { pattern: 'needle', path: added })).map((line) => line.split(':')[0]),
    ).toEqual([`${added}/.github/ci.yml`, file, `${added}/lib/old.txt`, `${added}/lib/x.log`])
    await remove(operations, `${added}/lib/old.txt`)
    expect(await namesIn(operations, `${added}/lib`)).toEqual(['new.txt', 'x.log'])
    expect(await operations.locate(file)).toMatchObject({ path: file, kind: 'file', root: added })
    // As in the folders themselves, a change is one of one folder.
    const across = move(operations, 'a.txt', `${added}/a.txt`)
    await expect(across).rejects.toMatchObject({ info: { code: 'file/outside' } })
    expect((await overlay.files()).map(({ path }) => path)).toContain(file)
  })
})

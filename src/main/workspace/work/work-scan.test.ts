import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { emptyWorkJson } from './work-json.ts'
import { ignoredOf, scanWork } from './work-scan.ts'

const pathsOf = async (...scan: Parameters<typeof scanWork>): Promise<string[]> =>
  (await scanWork(...scan)).files.map(({ path, kind }) => `${kind} ${path}`)

describe('a folder of code', () => {
  it.each([
    ['a manifest', ['package.json', 'README.md', '1.txt'], [], true],
    ['a repository', ['README.md', 'main.c'], ['.git'], true],
    ['a repository of texts', ['1.txt', 'README.md'], ['.git'], false],
    ['texts alone', ['1.txt', 'map.png'], ['notes'], false],
  ])('is told by %s', async (_name, files, folders, isProject) => {
    const root = tempFolder()
    for (const name of folders) mkdirSync(join(root, name))
    for (const name of files) writeFileSync(join(root, name), '')
    expect((await scanWork(nodeDisk, root, emptyWorkJson)).isProject).toBe(isProject)
  })
})

describe('looking at a folder', () => {
  it('of 200,000 files examines none of them, and lists as many folders as it shows', async () => {
    const root = tempFolder()
    writeFileSync(join(root, '1.txt'), '')
    for (let at = 0; at < 200; at += 1) mkdirSync(join(root, `${at}`))
    const [some] = (await nodeDisk.list(root)).filter((entry) => entry.isFile())
    // Two hundred folders of a thousand files, as the disk would list them.
    const many = Array.from({ length: 1_000 }, (_, at) =>
      Object.assign(Object.create(some ?? null), { name: `${at}.txt` }),
    )
    const counts = { list: 0, stat: 0 }
    const disk = diskWith({
      async list(folder) {
        counts.list += 1
        return folder === root ? nodeDisk.list(root) : many
      },
      async stat(path) {
        counts.stat += 1
        return nodeDisk.stat(path)
      },
    })
    const { files, folders } = await scanWork(disk, root, emptyWorkJson)
    expect(files).toHaveLength(5_000)
    expect(counts).toEqual({ list: folders.length, stat: 0 })
    expect(folders.length).toBeLessThan(10)
  })

  it('lists what it can where a folder inside is closed, and fails where the work itself is', async () => {
    const root = tempFolder()
    mkdirSync(join(root, 'closed'))
    writeFileSync(join(root, '1.txt'), '')
    const closed = (path: string) =>
      diskWith({
        list: (folder) => (folder === path ? Promise.reject(systemError('EACCES')) : nodeDisk.list(folder)),
      })
    expect(await pathsOf(closed(join(root, 'closed')), root, emptyWorkJson)).toEqual([
      'manuscript 1.txt',
      'folder closed',
    ])
    await expect(scanWork(closed(root), root, emptyWorkJson)).rejects.toThrow('file/denied')
  })

  it('lists links to files inside, and neither links outwards nor loops', async () => {
    const root = tempFolder()
    const outside = tempFolder()
    writeFileSync(join(outside, 'x.txt'), '')
    writeFileSync(join(root, '1.txt'), '')
    symlinkSync('1.txt', join(root, '2.txt'))
    symlinkSync(join(outside, 'x.txt'), join(root, '3.txt'))
    symlinkSync('.', join(root, 'loop'))
    symlinkSync('nothing', join(root, '4.txt'))
    expect(await pathsOf(nodeDisk, root, emptyWorkJson)).toEqual(['manuscript 1.txt', 'manuscript 2.txt'])
  })

  it('lists a name that cannot be examined as such, and opens all the same', async () => {
    const root = tempFolder()
    writeFileSync(join(root, '1.txt'), '')
    symlinkSync('2.txt', join(root, '2.txt'))
    symlinkSync('4.txt', join(root, '3.txt'))
    symlinkSync('3.txt', join(root, '4.txt'))
    symlinkSync('x'.repeat(300), join(root, '5.txt'))
    mkdirSync(join(root, '第二部'))
    symlinkSync('6.txt', join(root, '第二部/6.txt'))
    expect(await pathsOf(nodeDisk, root, emptyWorkJson)).toEqual([
      'manuscript 1.txt',
      'unreadable 2.txt',
      'unreadable 3.txt',
      'unreadable 4.txt',
      'unreadable 5.txt',
      'folder 第二部',
      'unreadable 第二部/6.txt',
    ])
    for (const code of ['EIO', 'ESTALE', 'EOVERFLOW', 'EACCES', 'ENODEV']) {
      const failing = diskWith({
        list: (folder) => (folder === root ? nodeDisk.list(folder) : Promise.reject(systemError(code))),
        stat: () => Promise.reject(systemError(code)),
      })
      expect((await scanWork(failing, root, emptyWorkJson)).files[0]?.path, code).toBe('1.txt')
    }
  })

  it('asks the file system once for a folder and twice for a link, however many files there are', async () => {
    const root = tempFolder()
    for (let count = 0; count < 300; count += 1) writeFileSync(join(root, `${count}.txt`), '')
    for (let count = 0; count < 10; count += 1) symlinkSync(`${count}.txt`, join(root, `link${count}.txt`))
    const calls: string[] = []
    const counting = new Proxy(nodeDisk, {
      get(disk, name: keyof typeof nodeDisk) {
        calls.push(name)
        return disk[name]
      },
    })
    expect((await scanWork(counting, root, emptyWorkJson)).files).toHaveLength(310)
    expect(calls.sort()).toEqual(['list', ...Array(10).fill('realPath'), ...Array(10).fill('stat')])
  })

  it('takes the order and the kinds that the author gave', async () => {
    const root = tempFolder()
    for (const name of ['1.txt', '2.txt', '3.txt', 'plot.txt']) writeFileSync(join(root, name), '')
    const values = {
      ...emptyWorkJson,
      order: ['3.txt', 'gone.txt', '1.txt'],
      kinds: { 'plot.txt': 'material' as const },
    }
    expect(await pathsOf(nodeDisk, root, values)).toEqual([
      'manuscript 3.txt',
      'manuscript 1.txt',
      'manuscript 2.txt',
      'material plot.txt',
    ])
  })
})

describe('ignored files', () => {
  const folder = (names: readonly string[]) => {
    const root = tempFolder()
    for (const name of names) {
      mkdirSync(join(root, name, '..'), { recursive: true })
      writeFileSync(join(root, name), '')
    }
    return root
  }

  it('are those that the list lacks, with the folders that hold nothing else', async () => {
    const root = folder(['.gitignore', 'a.ts', 'dist/a.js', 'dist/deep/b.js', 'src/b.ts', 'src/b.log'])
    symlinkSync(join(root, 'a.ts'), join(root, 'link.ts'))
    const scan = await scanWork(nodeDisk, root, emptyWorkJson)
    expect(scan.hasIgnoreFile).toBe(true)
    const ignored = ignoredOf(scan, new Set(['.gitignore', 'a.ts', 'src/b.ts']))
    expect([...ignored].sort()).toEqual(['dist', 'dist/a.js', 'dist/deep', 'dist/deep/b.js', 'src/b.log'])
  })

  it('are not looked for where no folder has an ignore file', async () => {
    const scan = await scanWork(nodeDisk, folder(['1.txt']), emptyWorkJson)
    expect(scan.hasIgnoreFile).toBe(false)
  })
})

describe('what a session made, or is steered by', () => {
  it('is no chapter, unless the author says so', async () => {
    const root = tempFolder()
    for (const name of ['1.txt', 'outline.md', 'AGENTS.md']) writeFileSync(join(root, name), '')
    const made = new Set(['outline.md'])
    expect(await pathsOf(nodeDisk, root, emptyWorkJson, made)).toEqual([
      'manuscript 1.txt',
      'material AGENTS.md',
      'material outline.md',
    ])
    const said = { ...emptyWorkJson, kinds: { 'outline.md': 'manuscript' as const } }
    expect(await pathsOf(nodeDisk, root, said, made)).toContain('manuscript outline.md')
  })
})

import * as nodeFiles from 'node:fs'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { createDisk, nodeDisk } from './disk.ts'

describe('a look at many files', () => {
  it('answers in their order, undefined where nothing is, and follows no link', async () => {
    const root = tempFolder()
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'file'), 'four')
    symlinkSync('file', join(root, 'link'))
    const names = ['folder', 'missing', 'file', 'file/below', 'link']
    const stats = await nodeDisk.lstatAll(names.map((name) => join(root, name)))
    expect(stats.map((one) => one && [one.isDirectory(), one.isFile(), one.isSymbolicLink()])).toEqual([
      [true, false, false],
      undefined,
      [false, true, false],
      undefined,
      [false, false, true],
    ])
    expect(stats[2]?.size).toBe(4)
  })

  it('fails as a look at one file does', async () => {
    const path = join(tempFolder(), 'x'.repeat(300))
    await expect(nodeDisk.lstatAll([path])).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
    await expect(nodeDisk.lstat(path)).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
  })

  it('does not hold its thread up on a slow disk', async () => {
    const root = tempFolder()
    const paths = Array.from({ length: 50 }, (_, index) => join(root, String(index)))
    for (const path of paths) writeFileSync(path, '')
    let reads = 0
    const slow = ((...args: Parameters<typeof nodeFiles.lstatSync>) => {
      reads += 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      return nodeFiles.lstatSync(...args)
    }) as typeof nodeFiles.lstatSync
    const disk = createDisk({ ...nodeFiles, lstatSync: slow })
    const stats = await disk.lstatAll(paths)
    expect(stats.filter((one) => one?.isFile())).toHaveLength(50)
    expect(reads).toBe(1)
  })
})

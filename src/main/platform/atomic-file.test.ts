import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../tests/fakes/failing-disk.ts'
import { tempFolder } from '../../../tests/fakes/temp-folder.ts'
import { replaceFile, sweepTempFiles, tempFileName } from './atomic-file.ts'
import { nodeDisk } from './disk.ts'
import { systemRandom } from './random.ts'
import { resolveInside } from './real-path.ts'

const hostId = 'a'.repeat(32)
const options = () => ({ tempName: tempFileName(hostId, systemRandom) })

describe('replacing a file', () => {
  it('keeps mode and links, and leaves nothing beside it', async () => {
    const root = tempFolder()
    writeFileSync(join(root, 'real.txt'), 'old')
    chmodSync(join(root, 'real.txt'), 0o640)
    symlinkSync('real.txt', join(root, 'alias.txt'))
    const { absolute } = await resolveInside(nodeDisk, root, 'alias.txt')
    await replaceFile(nodeDisk, absolute, Buffer.from('new'), options())
    expect(readFileSync(join(root, 'alias.txt'), 'utf8')).toBe('new')
    expect(statSync(join(root, 'real.txt')).mode & 0o777).toBe(0o640)
    expect(readdirSync(root).sort()).toEqual(['alias.txt', 'real.txt'])
  })

  it('leaves the old content and no rest when the disk is full', async () => {
    const root = tempFolder()
    const path = join(root, 'a.txt')
    writeFileSync(path, 'old')
    const disk = diskWith({
      writeNew: async (temp, bytes) => {
        writeFileSync(temp, bytes.subarray(0, 1))
        throw systemError('ENOSPC')
      },
    })
    await expect(replaceFile(disk, path, Buffer.from('new'), options())).rejects.toThrow('file/disk-full')
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(root)).toEqual(['a.txt'])
  })

  it('refuses a read-only file, even for root', async () => {
    const path = join(tempFolder(), 'a.txt')
    writeFileSync(path, 'old')
    chmodSync(path, 0o444)
    await expect(replaceFile(nodeDisk, path, Buffer.from('new'), options())).rejects.toThrow('file/read-only')
  })

  it('sweeps what dead hosts left, and neither young nor own files', async () => {
    const root = tempFolder()
    const dead = tempFileName('b'.repeat(32), systemRandom)
    const own = tempFileName(hostId, systemRandom)
    const young = tempFileName('c'.repeat(32), systemRandom)
    for (const name of [dead, own, young, '.tsugi-notes.tmp']) writeFileSync(join(root, name), '')
    const hourAgo = Date.now() / 1000 - 3600
    for (const name of [dead, own, '.tsugi-notes.tmp']) utimesSync(join(root, name), hourAgo, hourAgo)
    expect(await sweepTempFiles(nodeDisk, root, { hostId, now: Date.now() })).toBe(1)
    expect(existsSync(join(root, dead))).toBe(false)
    expect(readdirSync(root)).toHaveLength(3)
  })
})

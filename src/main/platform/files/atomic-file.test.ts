import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { systemRandom } from '../random.ts'
import { removeExpected, replaceFile, sweepTempFiles, tempFileName } from './atomic-file.ts'
import { contentHash } from './content-hash.ts'
import { nodeDisk } from './disk.ts'
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

  it('sweeps what ended hosts of ours left at once, and neither own files nor those of others', async () => {
    const root = tempFolder()
    const dead = tempFileName('b'.repeat(32), systemRandom)
    const aside = dead.replace('.tmp', '-old.tmp')
    const own = tempFileName(hostId, systemRandom)
    const unknown = tempFileName('c'.repeat(32), systemRandom)
    for (const name of [dead, aside, own, unknown, '.tsugi-notes.tmp']) writeFileSync(join(root, name), '')
    expect(await sweepTempFiles(nodeDisk, root, (id) => id === 'b'.repeat(32))).toBe(2)
    expect(readdirSync(root).sort()).toEqual([own, unknown, '.tsugi-notes.tmp'].sort())
  })

  it.skipIf(process.platform === 'win32')(
    'sweeps no link, folder or special file of such a name, nor what a link leads to',
    async () => {
      const [root, elsewhere] = [tempFolder(), tempFolder()]
      const name = () => tempFileName('b'.repeat(32), systemRandom)
      writeFileSync(join(elsewhere, 'text'), 'text')
      symlinkSync(join(elsewhere, 'text'), join(root, name()))
      symlinkSync(elsewhere, join(root, name()))
      symlinkSync('nowhere', join(root, name()))
      mkdirSync(join(root, name()))
      execFileSync('mkfifo', [join(root, name())])
      for (const other of [name().toUpperCase(), `${name()}~`, name().replace('.tmp', '-older.tmp')])
        writeFileSync(join(root, other), '')
      const before = readdirSync(root)
      expect(before).toHaveLength(8)
      expect(await sweepTempFiles(nodeDisk, root, () => true)).toBe(0)
      expect(readdirSync(root)).toEqual(before)
      expect(readFileSync(join(elsewhere, 'text'), 'utf8')).toBe('text')
    },
  )

  it('shows what a killed host had set aside where somebody had written it meanwhile, beside what it sweeps', async () => {
    const root = tempFolder()
    const aside = (text: string) =>
      tempFileName('b'.repeat(32), systemRandom).replace('.tmp', `-${contentHash(text).slice(0, 12)}-old.tmp`)
    writeFileSync(join(root, aside('as it was')), 'as it was')
    writeFileSync(join(root, aside('as it was')), 'written meanwhile')
    writeFileSync(join(root, aside('')), '\0'.repeat(1_000_000))
    expect(await sweepTempFiles(nodeDisk, root, () => true)).toBe(3)
    const left = readdirSync(root)
    expect(left).toHaveLength(2)
    expect(left.every((name) => /^tsugi-kept-[0-9a-f]{12}\.txt$/.test(name))).toBe(true)
    expect(left.map((name) => readFileSync(join(root, name)).length).sort()).toEqual([1_000_000, 17])
  })
})

describe('somebody writes in the last moment', () => {
  const expectedHash = contentHash('old')
  const stage = (write: (path: string) => void) => {
    const path = join(tempFolder(), 'a.txt')
    writeFileSync(path, 'old')
    const beforeRename = async () => undefined
    /** Writes right before the rename, after all checks. */
    const disk = diskWith({
      rename: async (from, to) => {
        write(path)
        await nodeDisk.rename(from, to)
      },
    })
    const ours = Buffer.from('ours')
    const done = replaceFile(disk, path, ours, { ...options(), expectedHash, beforeRename })
    return { path, done }
  }

  it('into the file: it is put back, and nothing lies about', async () => {
    let times = 0
    const { path, done } = stage((at) => {
      times += 1
      if (times === 1) writeFileSync(at, 'theirs')
    })
    await expect(done).rejects.toThrow('file/changed')
    expect(readFileSync(path, 'utf8')).toBe('theirs')
    expect(readdirSync(dirname(path))).toEqual(['a.txt'])
  })

  it('to where no file was: it is not replaced', async () => {
    const path = join(tempFolder(), 'a.txt')
    const beforeRename = async () => writeFileSync(path, 'theirs')
    const done = replaceFile(nodeDisk, path, Buffer.from('ours'), {
      ...options(),
      expectedHash: null,
      beforeRename,
    })
    await expect(done).rejects.toThrow('file/changed')
    expect(readFileSync(path, 'utf8')).toBe('theirs')
    expect(readdirSync(dirname(path))).toEqual(['a.txt'])
  })

  it('into a file that is removed: it is there again', async () => {
    const path = join(tempFolder(), 'a.txt')
    writeFileSync(path, 'theirs')
    const removing = removeExpected(nodeDisk, path, { ...options(), expectedHash })
    await expect(removing).rejects.toThrow('file/changed')
    expect(readFileSync(path, 'utf8')).toBe('theirs')
    expect(readdirSync(dirname(path))).toEqual(['a.txt'])
  })

  it('at any moment: no write is lost', async () => {
    const root = tempFolder()
    const path = join(root, 'a.txt')
    const rounds = process.env.TSUGI_SOAK === undefined ? 150 : 5_000
    let ours = 'start'
    writeFileSync(path, ours)
    for (let round = 0; round < rounds; round += 1) {
      const found = readFileSync(path, 'utf8')
      ours = `ours ${round}`
      const theirs = `theirs ${round}`
      const check = async () => {
        if (readFileSync(path, 'utf8') !== found) throw new AppError({ code: 'file/changed', path })
      }
      const saving = replaceFile(nodeDisk, path, Buffer.from(ours), {
        ...options(),
        expectedHash: contentHash(found),
        beforeRename: check,
      }).catch((error: unknown) => {
        if (!isAppError(error, 'file/changed')) throw error
      })
      await new Promise((resolve) => setTimeout(resolve, (round % 30) / 10))
      writeFileSync(path, theirs)
      await saving
      // Ours may come after theirs only where it was made on theirs.
      expect(readFileSync(path, 'utf8')).toBe(theirs)
    }
    expect(readdirSync(root)).toEqual(['a.txt'])
  })
})

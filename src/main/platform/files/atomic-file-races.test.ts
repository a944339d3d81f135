import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { isAppError } from '../../../shared/errors.ts'
import { systemRandom } from '../random.ts'
import { removeExpected, replaceFile, sweepTempFiles, tempFileName } from './atomic-file.ts'
import { contentHash } from './content-hash.ts'
import { type Disk, nodeDisk } from './disk.ts'

const hostId = 'a'.repeat(32)
const tempName = () => tempFileName(hostId, systemRandom)
const expectedHash = contentHash('old')

/** The real disk; calls `before` with the number of each operation before carrying it out. */
function steppedDisk(before: (step: number) => void | Promise<void>): { disk: Disk; steps: () => number } {
  let steps = 0
  const hooked = <T extends object>(parts: T): T =>
    new Proxy(parts, {
      get(target, key) {
        const part: unknown = Reflect.get(target, key)
        if (typeof part !== 'function' || key === 'close') return part
        return async (...all: unknown[]) => {
          await before(steps++)
          const result: unknown = await part.apply(target, all)
          return key === 'pinFolder' ? hooked(result as object) : result
        }
      },
    })
  return { disk: hooked({ ...nodeDisk }), steps: () => steps }
}

function folderWith(content = 'old'): string {
  const path = join(tempFolder(), 'a.txt')
  writeFileSync(path, content)
  chmodSync(path, 0o644)
  writeFileSync(join(dirname(path), 'other.txt'), content)
  return path
}

const replace = (disk: Disk, path: string) =>
  replaceFile(disk, path, Buffer.from('ours'), { tempName: tempName(), expectedHash })

async function remove(disk: Disk, path: string): Promise<void> {
  const folder = await disk.pinFolder(dirname(path))
  try {
    await removeExpected(disk, join(folder.path, 'a.txt'), { tempName: tempName(), expectedHash })
  } finally {
    await folder.close()
  }
}

type Action = { does: string; act: (path: string) => void; holds: (path: string) => void }

const names = (path: string) => readdirSync(dirname(path)).sort()

const onReplacing: Action[] = [
  {
    does: 'writes into the file',
    act: (path) => writeFileSync(path, 'theirs'),
    holds: (path) => expect(readFileSync(path, 'utf8')).toBe('theirs'),
  },
  {
    does: 'puts another file in its place',
    act: (path) => {
      writeFileSync(`${path}.new`, 'theirs')
      renameSync(`${path}.new`, path)
    },
    holds: (path) => expect(readFileSync(path, 'utf8')).toBe('theirs'),
  },
  {
    does: 'puts another file with the same content in its place',
    act: (path) => {
      writeFileSync(`${path}.new`, 'old', { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
    // Whichever file wins, it never has more permissions.
    holds: (path) => expect(statSync(path).mode & 0o777).toBe(0o600),
  },
  {
    does: 'narrows its permissions',
    act: (path) => chmodSync(path, 0o600),
    holds: (path) => {
      expect(readFileSync(path, 'utf8')).toBe('ours')
      expect(statSync(path).mode & 0o7777).toBe(0o600)
    },
  },
  {
    does: 'makes it executable',
    act: (path) => chmodSync(path, 0o755),
    holds: (path) => expect(statSync(path).mode & 0o7777).toBe(0o755),
  },
  {
    does: 'writes into it and narrows its permissions',
    act: (path) => {
      chmodSync(path, 0o600)
      writeFileSync(path, 'theirs')
    },
    holds: (path) => {
      expect(readFileSync(path, 'utf8')).toBe('theirs')
      expect(statSync(path).mode & 0o7777).toBe(0o600)
    },
  },
  {
    does: 'removes it',
    act: (path) => rmSync(path),
    holds: (path) => expect(existsSync(path)).toBe(false),
  },
  {
    does: 'puts a link in its place',
    act: (path) => {
      rmSync(path)
      symlinkSync('other.txt', path)
    },
    holds: (path) => {
      expect(readlinkSync(path)).toBe('other.txt')
      expect(readFileSync(path, 'utf8')).toBe('old')
    },
  },
  {
    does: 'puts a folder in its place',
    act: (path) => {
      rmSync(path)
      mkdirSync(path)
    },
    holds: (path) => expect(lstatSync(path).isDirectory()).toBe(true),
  },
]

const onRemoving = onReplacing.filter(({ does }) => !/permissions|executable|same content/.test(does))

/** Plays `action` before each of the operations that `work` makes, in a folder of its own each time. */
async function atEveryStep(
  work: (disk: Disk, path: string) => Promise<void>,
  play: (path: string) => void,
  check: (path: string, step: number) => void,
): Promise<number> {
  for (let at = 0; ; at += 1) {
    const path = folderWith()
    let isPlayed = false
    const { disk } = steppedDisk((step) => {
      if (step !== at) return
      isPlayed = true
      play(path)
    })
    await work(disk, path).catch((error: unknown) => {
      // The operation may be refused because of the action; the error depends on the step.
      if (!isAppError(error) && !(error instanceof Error && 'code' in error)) throw error
    })
    if (!isPlayed) return at
    check(path, at)
  }
}

describe('somebody acts between any two steps of replacing a file', () => {
  it.each(onReplacing)('who $does', async ({ act, holds }) => {
    const steps = await atEveryStep(replace, act, (path) => {
      holds(path)
      expect(names(path)).toEqual(
        ['a.txt', 'other.txt'].filter((name) => name !== 'a.txt' || existsSync(path)),
      )
    })
    expect(steps).toBeGreaterThan(8)
  })

  it('who puts a newer text there while an earlier one is put back', async () => {
    let steps = 0
    for (let second = 1; second < 40; second += 1) {
      const path = folderWith()
      let texts = 0
      const { disk } = steppedDisk((step) => {
        if (step !== 5 && step !== 5 + second) return
        texts += 1
        writeFileSync(path, `theirs ${texts}`)
      })
      await replace(disk, path).catch((error: unknown) => {
        if (!isAppError(error, 'file/changed')) throw error
      })
      expect(readFileSync(path, 'utf8')).toBe(`theirs ${texts}`)
      expect(names(path)).toEqual(['a.txt', 'other.txt'])
      if (texts === 2) steps += 1
    }
    expect(steps).toBeGreaterThan(8)
  })

  it('who narrows and later widens again: the last one counts', async () => {
    for (let second = 1; second < 16; second += 1) {
      const path = folderWith()
      let last = 0o644
      const { disk } = steppedDisk((step) => {
        if (step !== 2 && step !== 2 + second) return
        last = step === 2 ? 0o600 : 0o640
        chmodSync(path, last)
      })
      await replace(disk, path)
      expect(statSync(path).mode & 0o7777).toBe(last)
    }
  })
})

describe('somebody acts between any two steps of removing a file', () => {
  it.each(onRemoving)('who $does', async ({ does, act }) => {
    await atEveryStep(remove, guarded(act), (path) => {
      const texts = names(path)
        .filter((name) => lstatSync(join(dirname(path), name)).isFile())
        .map((name) => readFileSync(join(dirname(path), name), 'utf8'))
      if (/^writes|another file/.test(does)) expect(texts).toContain('theirs')
      if (/link/.test(does)) expect(readlinkSync(path)).toBe('other.txt')
      if (/folder/.test(does)) expect(lstatSync(path).isDirectory()).toBe(true)
      expect(names(path).filter((name) => name.endsWith('.tmp'))).toEqual([])
    })
  })

  /** Creates the file first where it is missing: it may have its other name already at this step. */
  function guarded(act: (path: string) => void): (path: string) => void {
    return (path) => {
      if (!existsSync(path)) writeFileSync(path, 'theirs')
      act(path)
    }
  }
})

describe('a host that is killed at any step', () => {
  const isEnded = (id: string) => id === hostId

  /** The operations up to `at` happen; neither that one nor any later one does. */
  async function killAt(
    work: (disk: Disk, path: string) => Promise<void>,
    at: number,
    act?: { step: number; does: (path: string) => void },
  ): Promise<{ path: string; isOver: boolean }> {
    const path = folderWith()
    const { disk, steps } = steppedDisk((step) => {
      if (step === act?.step) act.does(path)
      if (step >= at) throw new Error('killed')
    })
    await work(disk, path).catch(() => undefined)
    await sweepTempFiles(nodeDisk, dirname(path), isEnded)
    return { path, isOver: steps() <= at }
  }

  it('leaves the old or the new text, and nothing beside it', async () => {
    for (let at = 0; ; at += 1) {
      const { path, isOver } = await killAt(replace, at)
      expect(['old', 'ours']).toContain(readFileSync(path, 'utf8'))
      expect(names(path)).toEqual(['a.txt', 'other.txt'])
      if (isOver) break
    }
  })

  it('does not take along what somebody wrote while a file was replaced or removed', async () => {
    for (const work of [replace, remove]) {
      for (let step = 0; step < 12; step += 1) {
        for (let at = step; at < step + 12; at += 1) {
          let hasWritten = false
          const does = (path: string) => {
            hasWritten = true
            writeFileSync(path, 'theirs')
          }
          const { path } = await killAt(work, at, { step, does })
          const texts = names(path).map((name) => readFileSync(join(dirname(path), name), 'utf8'))
          expect(texts.filter((text) => text === 'theirs')).toHaveLength(hasWritten ? 1 : 0)
          const shown = names(path).filter((name) => name !== 'other.txt' && name !== 'a.txt')
          expect(shown.filter((name) => !name.startsWith('tsugi-kept-'))).toEqual([])
        }
      }
    }
  })
})

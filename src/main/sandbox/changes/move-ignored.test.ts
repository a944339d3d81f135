import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { moveIgnored } from './move-ignored.ts'

it('gives new folders the permissions that the command gave them, and leaves those of others', async () => {
  const [upper, project] = [tempFolder(), tempFolder()]
  const make = (root: string, path: string, mode: number): void => {
    mkdirSync(join(root, path), { recursive: true })
    chmodSync(join(root, path), mode)
  }
  make(upper, 'build/data/empty', 0o750)
  make(upper, 'build/data', 0o700)
  make(upper, 'build', 0o755)
  make(project, 'build', 0o2775)
  writeFileSync(join(upper, 'build/data/f'), 'f')
  const { left } = await moveIgnored(nodeDisk, upper, project, [
    { kind: 'file', path: 'build/data/f', sizeBytes: 1, mode: 0o600, lowerMode: null },
    { kind: 'folder', path: 'build/data/empty' },
  ])
  expect(left).toEqual([])
  const modeOf = (path: string): string => (statSync(join(project, path)).mode & 0o777).toString(8)
  expect(existsSync(join(project, 'build/data/f'))).toBe(true)
  expect(['build', 'build/data', 'build/data/empty'].map(modeOf)).toEqual(['775', '700', '750'])
  // The group is inherited from the folder above: the bit that says so stays.
  expect(statSync(join(project, 'build/data')).mode & 0o2000).toBe(0o2000)
})

it('keeps a renamed file under its old name where the new one cannot be placed', async () => {
  const [upper, project] = [tempFolder(), tempFolder()]
  writeFileSync(join(upper, 'new.log'), 'text')
  mkdirSync(join(project, 'new.log'))
  writeFileSync(join(project, 'old.log'), 'text')
  writeFileSync(join(project, 'other.log'), 'gone')
  const { left } = await moveIgnored(nodeDisk, upper, project, [
    { kind: 'gone', path: 'old.log' },
    { kind: 'gone', path: 'other.log' },
    { kind: 'file', path: 'new.log', sizeBytes: 4, mode: 0o644, lowerMode: null },
  ])
  expect(left).toEqual(['new.log', 'old.log'])
  expect(readFileSync(join(project, 'old.log'), 'utf8')).toBe('text')
  expect(existsSync(join(project, 'other.log'))).toBe(false)
})

it('puts an empty folder in the place of a file', async () => {
  const [upper, project] = [tempFolder(), tempFolder()]
  mkdirSync(join(upper, 'one'))
  writeFileSync(join(project, 'one'), 'file')
  const { left } = await moveIgnored(nodeDisk, upper, project, [
    { kind: 'gone', path: 'one' },
    { kind: 'folder', path: 'one' },
  ])
  expect(left).toEqual([])
  expect(statSync(join(project, 'one')).isDirectory()).toBe(true)
})

it('puts a file in the place of a folder that a killed host had emptied, and removes the folders that it left', async () => {
  const [upper, project] = [tempFolder(), tempFolder()]
  writeFileSync(join(upper, 'two'), 'file')
  mkdirSync(join(project, 'two/a'), { recursive: true })
  mkdirSync(join(project, 'build/gone'), { recursive: true })
  mkdirSync(join(upper, 'build'))
  const { left, failed } = await moveIgnored(nodeDisk, upper, project, [
    { kind: 'gone', path: 'two/a/b' },
    { kind: 'gone', path: 'build/gone/deep/x' },
    { kind: 'file', path: 'two', sizeBytes: 4, mode: 0o644, lowerMode: null },
  ])
  expect([left, failed]).toEqual([[], []])
  expect(readFileSync(join(project, 'two'), 'utf8')).toBe('file')
  expect(readdirSync(join(project, 'build'))).toEqual([])
})

const otherDisk = ['/dev/shm', '/tmp', '/var/tmp'].find(
  (disk) => existsSync(disk) && statSync(disk).dev !== statSync(tmpdir()).dev,
)

function folderOnOtherDisk(): string {
  const folder = realpathSync(mkdtempSync(join(otherDisk ?? '', 'tsugi-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it.skipIf(otherDisk === undefined)(
  'goes on on another disk where the host was killed after it had placed the copy of a file',
  async () => {
    const [upper, project] = [tempFolder(), folderOnOtherDisk()]
    writeFileSync(join(upper, 'new.log'), 'text')
    writeFileSync(join(project, 'new.log'), 'text')
    writeFileSync(join(project, 'old.log'), 'text')
    // Its change time is later than the command.
    const changed = new Set(['new.log'])
    const { left } = await moveIgnored(
      nodeDisk,
      upper,
      project,
      [
        { kind: 'gone', path: 'old.log' },
        { kind: 'file', path: 'new.log', sizeBytes: 4, mode: 0o644, lowerMode: null },
      ],
      changed,
    )
    expect(left).toEqual([])
    expect(readdirSync(project)).toEqual(['new.log'])
  },
)

it.skipIf(otherDisk === undefined)('leaves no part of a copy on another disk that was full', async () => {
  const [upper, project] = [tempFolder(), folderOnOtherDisk()]
  writeFileSync(join(upper, 'new.log'), 'text')
  const disk = diskWith({
    async writeNew(path) {
      writeFileSync(path, 'te')
      throw systemError('ENOSPC')
    },
  })
  const { failed } = await moveIgnored(disk, upper, project, [
    { kind: 'file', path: 'new.log', sizeBytes: 4, mode: 0o644, lowerMode: null },
  ])
  expect(failed).toEqual(['new.log'])
  expect(readdirSync(project)).toEqual([])
})

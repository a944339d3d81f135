/** An acceptance of fifty files, some changed by a command, on a disk that fills up during it. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { noAnswers } from '../../../src/main/speculation/accept/acceptable-link.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import { diskWith, systemError } from '../../fakes/disks/failing-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { acceptanceRig } from '../../fakes/rigs/acceptance-rig.ts'
import {
  filesNow,
  folderBefore,
  recovered,
  sessionNow,
  speculationOfCommand,
  textsOf,
} from '../../fakes/rigs/acceptance-turn.ts'
import { smallDisk, whyNoSmallDisk } from '../support/small-disk.ts'

const { before, after } = textsOf(speculationOfCommand)

async function expectRefusedThenAccepted(root: string, disk: Disk, makeRoom: () => void) {
  const dataDir = tempFolder()
  const rig = acceptanceRig({ dataDir, root, disk })
  onTestFinished(() => rig.store.close())
  const accept = () => rig.acceptance.accept(rig.play(speculationOfCommand), rig.into, noAnswers)
  await expect(accept()).rejects.toMatchObject({ info: { code: 'file/disk-full' } })
  expect(filesNow(root, speculationOfCommand)).toEqual(before)
  expect([rig.session.turn, sessionNow(dataDir)?.turn]).toEqual([1, 1])
  makeRoom()
  expect(await accept()).toMatchObject({ step: 'accepted', left: [] })
  expect(filesNow(root, speculationOfCommand)).toEqual(after)
}

it.each([1, 2, 20])('the write %i finds no room: all is as it was, and can be accepted later', async (at) => {
  let [writes, isFull] = [0, true]
  const disk = diskWith({
    writeNew: (path, ...rest) => {
      writes += 1
      return isFull && writes >= at && writes < at + 16
        ? Promise.reject(systemError('ENOSPC'))
        : nodeDisk.writeNew(path, ...rest)
    },
  })
  await expectRefusedThenAccepted(folderBefore(speculationOfCommand), disk, () => {
    isFull = false
  })
  expect(writes).toBeGreaterThan(at)
})

it('a real disk fills up: all or nothing, with the next start at the latest', async ({ skip }) => {
  const reason = whyNoSmallDisk()
  skip(reason !== undefined, reason)
  const small = smallDisk(1024 ** 2)
  const [root, dataDir] = [join(small.folder, 'work'), tempFolder()]
  cpSync(folderBefore(speculationOfCommand), root, { recursive: true })
  let made = 0
  const disk = diskWith({
    freeBytes: async () => 1024 ** 3,
    rename: async (...names) => {
      await nodeDisk.rename(...names)
      if (names[1].startsWith('/proc/self/fd/') && ++made >= 10) small.fill()
    },
  })
  const rig = acceptanceRig({ dataDir, root, disk })
  onTestFinished(() => rig.store.close())
  const outcome = await rig.acceptance
    .accept(rig.play(speculationOfCommand), rig.into, noAnswers)
    .then(({ step }) => step)
    .catch((error: unknown) => (isAppError(error) ? error.info.code : error))
  expect(['accepted', 'file/disk-full']).toContain(outcome)
  const isIn = outcome === 'accepted'
  small.free()
  expect((await recovered(dataDir)).troubles).toEqual([])
  expect(filesNow(root, speculationOfCommand)).toEqual(isIn ? after : before)
  expect([rig.session.turn, sessionNow(dataDir)?.turn]).toEqual(isIn ? [2, 2] : [1, 1])
})

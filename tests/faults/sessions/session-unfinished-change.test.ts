import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { diskWith, systemError } from '../../fakes/disks/failing-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { approve, editCall, justAnswer, noCalls, readAndPlan } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

it('a change that the model was told is not made is not made at the next start either', async () => {
  const dataDir = tempFolder()
  let isFailing = false
  const disk = diskWith({
    async writeNew(path, bytes, options) {
      if (isFailing && !path.startsWith(dataDir)) throw systemError('ENOSPC')
      return nodeDisk.writeNew(path, bytes, options)
    },
  })
  const host = await scriptedHost(
    [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'two'), noCalls, approve],
    {
      files: { 'a.txt': 'one\n' },
      disk,
      dataDir,
    },
  )
  await host.say('Change it.')
  await host.rest()
  isFailing = true
  await host.answer('approve')
  await host.rest()
  const call = (await host.items()).find((item) => item.kind === 'call' && item.name === 'edit')
  expect(call).toMatchObject({ state: 'failed', text: expect.stringMatching(/disk/i) })
  isFailing = false
  const again = await host.restart()
  onTestFinished(() => again.close())
  await again.rest()
  expect(again.read('a.txt')).toBe('one\n')
})

it('undo takes back a change whose host was killed between its commit and the result of its call', async () => {
  const [dataDir, atCommit] = [tempFolder(), tempFolder()]
  let isWatched = false
  const disk = diskWith({
    async writeNew(path, bytes, options) {
      // The first file of the folder is written right after the commit.
      if (isWatched && !path.startsWith(dataDir)) {
        isWatched = false
        cpSync(dataDir, atCommit, { recursive: true })
      }
      return nodeDisk.writeNew(path, bytes, options)
    },
  })
  const host = await scriptedHost(
    [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'two'), noCalls, approve, ...justAnswer('Done.')],
    { files: { 'a.txt': 'one\n' }, disk, dataDir },
  )
  await host.say('Change it.')
  await host.rest()
  isWatched = true
  await host.answer('approve')
  await host.rest()
  const again = await host.restart(() => {
    rmSync(dataDir, { recursive: true })
    cpSync(atCommit, dataDir, { recursive: true })
    writeFileSync(join(host.root, 'a.txt'), 'one\n')
  })
  onTestFinished(() => again.close())
  await again.rest()
  expect(again.read('a.txt')).toBe('two\n')
  const { sessionId } = again
  const undone = { sessionId, turn: 1, what: 'files' as const, choices: [] }
  await again.app.api['session.undo'](undone, { signal: new AbortController().signal })
  expect(again.read('a.txt')).toBe('one\n')
})

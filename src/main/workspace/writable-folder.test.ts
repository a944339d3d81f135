import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { changeSetRig } from '../../../tests/fakes/rigs/change-set-rig.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { nodeDisk as disk } from '../platform/files/disk.ts'
import { applyWithDocuments } from './writable-folder.ts'

it('moves an open document at once, and only then what belongs to its file', async () => {
  const root = tempFolder()
  writeFileSync(join(root, '1.txt'), '一')
  const { changeSets, store } = changeSetRig(tempFolder())
  onTestFinished(() => store.close())
  const done: string[] = []
  const documents = {
    flush: async () => undefined,
    beginChange: () => () => undefined,
    fileChanged: async () => undefined,
    fileRemoved: async () => undefined,
    fileMoved: (from: string, to: string) => void done.push(`document ${from.at(-5)} ${to.at(-5)}`),
  }
  const settled = async (request: { changes: readonly { path: string }[] }) =>
    void done.push(...request.changes.map(({ path }) => `work ${path}`))
  const change = {
    kind: 'move',
    path: '1.txt',
    to: '2.txt',
    baseHash: contentHash(Buffer.from('一')),
  } as const
  const deps = { root, disk, documents, changeSets: { ...changeSets, settled } }
  await applyWithDocuments(deps, { changes: [change] })
  expect(done).toEqual(['document 1 2', 'work 1.txt'])
})

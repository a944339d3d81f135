import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countingDisk } from '../../../tests/fakes/disks/counting-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type FileChange, planChanges } from './change-plan.ts'

const deletion = (path: string, text: string): FileChange => ({
  kind: 'delete',
  path,
  baseHash: contentHash(text),
})

it('lists no folder for the files that are deleted in it, and refuses to delete a link', async () => {
  const root = tempFolder()
  const names = Array.from({ length: 20 }, (_, number) => `${number}.txt`)
  for (const name of names) writeFileSync(join(root, name), name)
  symlinkSync('0.txt', join(root, 'link.txt'))
  const counting = countingDisk()
  const changes = names.map((name) => deletion(name, name))
  expect(await planChanges(counting.disk, root, changes)).toHaveLength(names.length)
  expect(counting.counts.list ?? 0).toBe(0)
  await expect(planChanges(counting.disk, root, [deletion('link.txt', '0.txt')])).rejects.toThrow(
    'file/denied',
  )
})

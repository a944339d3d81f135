import { expect, it } from 'vitest'
import { createReadLedger } from '../tools/edits/read-ledger.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import { changedFiles } from './changed-files.ts'

it('names a file that the model has read itself and the user has changed since, once for each content', async () => {
  let hash = 'a'
  const operations: Pick<ToolOperations, 'read'> = {
    read: async (path) => ({ path, bytes: new Uint8Array(), hash }),
  }
  const ledger = createReadLedger()
  ledger.note('src/app.ts', 'a', { from: 1, to: 9 })
  const place = { operations, ledger }
  expect(await changedFiles([], place, new Set())).toEqual([])
  hash = 'b'
  const changed = [{ path: 'src/app.ts', hash: 'b', from: 0, to: 0 }]
  expect(await changedFiles([], place, new Set())).toEqual(changed)
  expect(await changedFiles([], place, new Set(['src/app.ts']))).toEqual([])
  const told = changed.map((file) => ({ turn: 1, role: 'user', kind: 'note', text: '', file }) as const)
  expect(await changedFiles(told, place, new Set())).toEqual([])
})

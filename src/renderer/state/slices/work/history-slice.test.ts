import { expect, it } from 'vitest'
import type { SliceContext } from '../slice.ts'
import { createHistorySlice } from './history-slice.ts'

it('shows no snapshots of a file that was left before they came', async () => {
  const answer = Promise.withResolvers<{ entries: { at: number }[] }>()
  const documents = {
    activePath: '1.txt',
    byPath: { '1.txt': { documentId: 'one' }, '2.txt': { documentId: 'two' } },
  }
  const shown: unknown[] = []
  const history = createHistorySlice({
    get: () => ({ documents }),
    patch: (_: string, values: { entries?: unknown }) =>
      void ('entries' in values && shown.push(values.entries)),
    client: {
      'history.list': ({ documentId }: { documentId: string }) =>
        documentId === 'one' ? answer.promise : Promise.resolve({ entries: [] }),
    },
  } as unknown as SliceContext)
  const loading = history.load()
  documents.activePath = '2.txt'
  await history.load()
  answer.resolve({ entries: [{ at: 1 }] })
  await loading
  expect(shown).toEqual([[]])
})

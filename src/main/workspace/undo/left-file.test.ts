import { expect, it } from 'vitest'
import { TurnUndo } from './turn-undo.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

it('a file that was left alone has both of its texts, as long as they are kept', async () => {
  const bytes: Record<string, Uint8Array> = { new: text('ours\n'), odd: new Uint8Array([0, 255, 0, 1]) }
  const file = (path: string, newHash: string | null) => ({
    path,
    oldHash: 'old',
    newHash,
    mode: null,
    oldMode: null,
  })
  const undo = new TurnUndo({
    changeSet: (id) =>
      id !== 'set'
        ? undefined
        : {
            id,
            root: '/work',
            at: 0,
            state: 'conflict',
            note: '',
            files: [file('a.txt', 'new'), file('gone.txt', null), file('odd', 'odd')],
            entries: [],
          },
    changeSetsFrom: () => [],
    bytes: async (hash) => bytes[hash] ?? text(''),
    entryAt: async () => null,
    withContent: async () => [],
    present: async (_root, path) =>
      path === 'a.txt' ? { bytes: text('theirs\n'), hash: 'now', mode: 0o644 } : null,
  })
  expect(await undo.leftFile('set', 'a.txt')).toEqual({ current: 'theirs\n', wanted: 'ours\n' })
  expect(await undo.leftFile('set', 'gone.txt')).toEqual({ current: null, wanted: null })
  await expect(undo.leftFile('set', 'other.txt')).rejects.toMatchObject({ info: { code: 'file/not-found' } })
  await expect(undo.leftFile('pruned', 'a.txt')).rejects.toMatchObject({ info: { code: 'file/not-found' } })
  await expect(undo.leftFile('set', 'odd')).rejects.toMatchObject({ info: { code: 'file/not-text' } })
})

import { expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { ManuscriptEditor } from '../../../editor/editor-types.ts'

it('a wording that is asked for before its presets have come is written by the first of them', async () => {
  const host = new FakeHost({ '001.txt': '雨が降る。' })
  host.work = {
    ...host.work,
    lastPath: '001.txt',
    files: [{ path: '001.txt', order: 0, kind: 'manuscript' }],
  }
  const { store, asked } = await openWindow({ host })
  await until(() => store.getState().documents.activePath !== null)
  const shown = {
    shownKey: () => '001.txt',
    textOf: () => '雨が降る。',
    figures: () => ({ selectionFrom: 0, selectionTo: 5 }),
    flush: async () => undefined,
  }
  store.editor.current = shown as unknown as ManuscriptEditor
  void store.getState().rewrite.open('ja')
  await store.getState().rewrite.write()
  expect(asked('draft.start')).toMatchObject([{ rewrite: { from: 0, instruction: '読みやすくする。' } }])
})

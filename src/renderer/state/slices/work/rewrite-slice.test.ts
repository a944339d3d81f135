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

/** A window whose editor shows a text and replaces what it is told to. */
async function selected(text: string, from: number, to: number) {
  const host = new FakeHost({ '001.txt': text })
  host.work = {
    ...host.work,
    lastPath: '001.txt',
    files: [{ path: '001.txt', order: 0, kind: 'manuscript' }],
  }
  const { store } = await openWindow({ host })
  await until(() => store.getState().documents.activePath !== null)
  const replaced: string[] = []
  const shown = {
    shownKey: () => '001.txt',
    textOf: () => text,
    figures: () => ({ selectionFrom: from, selectionTo: to }),
    flush: async () => undefined,
    focus: () => undefined,
    replaceText: (wish: { text: string }) => replaced.push(wish.text) > 0,
  }
  store.editor.current = shown as unknown as ManuscriptEditor
  await store.getState().rewrite.open('ja')
  return { host, store, replaced }
}

it.each([
  ['a command, with the text that it excludes', '古い。\n@break\n新しい。', 0, 14, 'rewrite.command'],
  ['a part of a comment', '雨@/* 秘密 @*/が降る。', 5, 15, 'rewrite.cutComment'],
  ['nothing but a comment', '雨@/* 秘密 @*/が降る。', 1, 11, 'rewrite.noSelection'],
])('a selection of %s is not rewritten', async (_, text, from, to, key) => {
  const { store } = await selected(text, from, to)
  expect(store.getState().rewrite.passage).toBeNull()
  expect(store.getState().ui.toasts.at(-1)?.message).toMatchObject({ key })
})

it('a wording replaces the selection once it is whole, not before', async () => {
  const { host, store, replaced } = await selected('雨@/* メモ @*/が降る。', 0, 15)
  await store.getState().rewrite.write()
  const { takeId } = store.getState().rewrite
  const { runId = '' } = store.getState().runs.byTake[takeId ?? '']?.run ?? {}
  host.runs.write(runId, '雪が')
  await until(() => store.getState().runs.byTake[takeId ?? '']?.run.text === '雪が')
  await store.getState().rewrite.accept()
  expect(replaced).toEqual([])
  expect(store.getState().ui.dialog).toMatchObject({ kind: 'rewrite' })
  host.runs.write(runId, '降る。')
  host.runs.end(runId, 'finished')
  await until(() => store.getState().runs.byTake[takeId ?? '']?.run.state === 'finished')
  await store.getState().rewrite.accept()
  expect(replaced).toEqual(['雪が降る。'])
})

it('an instruction of the program follows the language of the selection, and one that the author wrote stays', async () => {
  const { store } = await selected('雨が降る。', 0, 5)
  const [first = ''] = store.getState().rewrite.presets.map(({ instruction }) => instruction)
  const english = 'It rained on the old station all night.'
  Object.assign(store.editor.current ?? {}, {
    textOf: () => english,
    figures: () => ({ selectionFrom: 0, selectionTo: english.length }),
  })
  await store.getState().rewrite.open('ja')
  const { instruction, presets } = store.getState().rewrite
  expect(instruction).toBe(presets[0]?.instruction)
  expect(instruction).not.toBe(first)
  store.getState().rewrite.setInstruction('As a letter.')
  await store.getState().rewrite.open('ja')
  expect(store.getState().rewrite.instruction).toBe('As a letter.')
})

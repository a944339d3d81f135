import { afterEach, expect, it, vi } from 'vitest'
import { tabStorage } from '../../../../../tests/fakes/disks/tab-storage.ts'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import {
  type OpenWindow,
  openWindow,
  until,
  type WindowOptions,
} from '../../../../../tests/fakes/window-host/open-window.ts'
import { createTranslate } from '../../../../shared/i18n/translate.ts'
import { createKeptTexts } from '../../kept-texts.ts'
import { hasUnsavedText, unsavedText } from '../../unsaved-text.ts'
import { currentDetail } from './detail-texts-slice.ts'

afterEach(() => vi.unstubAllGlobals())

const t = createTranslate('en')

async function open(options: WindowOptions = {}) {
  const opened = await openWindow(options)
  const { host, store } = opened
  const texts = () => store.getState().detailTexts
  /** Types into the memo and leaves it. */
  const write = (text: string) => {
    texts().write(host.work.root, 'memo', text)
    texts().flush()
  }
  const shown = () => currentDetail(store.getState(), 'memo')
  const saved = (text: string) => until(() => host.work.details.memo === text && !hasUnsavedText(store))
  return { ...opened, texts, write, shown, saved }
}

/** Another window changes the memo. `isTold`: this window hears of it. */
function changeElsewhere({ host }: Pick<OpenWindow, 'host'>, memo: string, isTold: boolean): void {
  const details = { ...host.work.details, memo }
  host.work = { ...host.work, details }
  if (isTold) host.topics.work.publish({ type: 'details', details, name: host.work.name })
}

it('is saved when typing pauses, without being left', async () => {
  const { host, texts, saved, asked } = await open()
  for (const text of ['雨', '雨が', '雨が降る']) texts().write(host.work.root, 'memo', text)
  await saved('雨が降る')
  expect(asked('work.updateDetails')).toHaveLength(1)
})

it('typed while the host is away stays shown, counts as unsaved, and is saved once it is back', async () => {
  const { store, connection, write, shown, saved } = await open()
  connection.drop()
  write('一つめの段落。\n\n二つめの段落。')
  expect([shown(), hasUnsavedText(store)]).toEqual(['一つめの段落。\n\n二つめの段落。', true])
  expect(unsavedText(store, t)).toBe('一つめの段落。\n\n二つめの段落。')
  await saved('一つめの段落。\n\n二つめの段落。')
  expect([shown(), store.getState().ui.toasts]).toEqual(['一つめの段落。\n\n二つめの段落。', []])
})

it('is copied with the name of its field where other text is unsaved, too', async () => {
  const { host, store, connection, texts } = await open()
  connection.drop()
  texts().write(host.work.root, 'memo', '覚え')
  texts().write(host.work.root, 'plot', '筋')
  expect(unsavedText(store, t)).toBe('Plot\n\n筋\n\nScratchpad\n\n覚え')
})

it('typed while the host is away is found and saved by the next page of the tab', async () => {
  const storage = tabStorage()
  const first = await open({ keptTexts: createKeptTexts(storage) })
  const { close } = first.connection as { close?: () => void }
  close?.()
  first.write('二段落')
  const next = await open({ host: first.host, keptTexts: createKeptTexts(storage) })
  expect(next.shown()).toBe('二段落')
  await next.saved('二段落')
  expect(storage.length).toBe(0)
})

it('that reached the host without an answer is not taken for a text from elsewhere', async () => {
  const { host, store, connection, write, saved } = await open()
  write('雨')
  connection.drop()
  changeElsewhere({ host }, '雨', false)
  write('雨と風')
  await saved('雨と風')
  expect(store.getState().ui.toasts).toEqual([])
})

it.each([
  ['while the host was away', false],
  ['while it was typed', true],
])(
  'is kept where the field was changed elsewhere %s; the other text can be copied',
  async (_when, isTold) => {
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
    const { host, store, connection, texts, shown, saved } = await open()
    if (!isTold) connection.drop()
    texts().write(host.work.root, 'memo', '自分の文')
    changeElsewhere({ host }, 'ほかの文', isTold)
    await saved('自分の文')
    expect(shown()).toBe('自分の文')
    const [toast, ...others] = store.getState().ui.toasts
    expect(others).toEqual([])
    expect(toast).toMatchObject({
      message: { key: 'toast.detailChanged', words: { field: 'tab.memo' } },
      isLasting: true,
    })
    store.getState().work.close()
    expect(store.getState().ui.toasts).toHaveLength(1)
    toast?.action?.run()
    expect(copied).toEqual(['ほかの文'])
  },
)

it('that the host refuses stays, is told of, and is sent again when it is changed', async () => {
  const { host, store, texts } = await open()
  const { root } = host.work
  const long = 'あ'.repeat(10_001)
  texts().write(root, 'title', long)
  texts().flush()
  await until(() => store.getState().ui.toasts.length === 1)
  expect([currentDetail(store.getState(), 'title'), hasUnsavedText(store)]).toEqual([long, true])
  texts().write(root, 'title', '灯台')
  texts().flush()
  await until(() => host.work.details.title === '灯台' && !hasUnsavedText(store))
})

it('that was taken out again asks for nothing', async () => {
  const { host, store, texts, write, asked } = await open({ host: new FakeHost() })
  texts().write(host.work.root, 'memo', '書いて')
  write(host.work.details.memo)
  expect([hasUnsavedText(store), asked('work.updateDetails')]).toEqual([false, []])
})

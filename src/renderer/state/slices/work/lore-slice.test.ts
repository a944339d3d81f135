import { expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'

/** Returns what the window says after an export that switched these off and left `unread` out. */
async function toldAfter(off: string[], unread: string[]) {
  const host = new FakeHost()
  const failed = unread.map((path) => ({ path, error: { code: 'file/not-text' as const, path } }))
  host.exportedLore = { off, unread: failed }
  const { store } = await openWindow({ host })
  await store.getState().lore.exportTo('/out.json')
  return store.getState().ui.toasts.map(({ message, isLasting = false }) => ({ message, isLasting }))
}

it('an export of lore says which entries went out switched off and which are missing, until that is closed', async () => {
  const exported = {
    message: { key: 'toast.loreExported', values: { path: '/out.json', count: 3 } },
    isLasting: false,
  }
  expect(await toldAfter([], [])).toMatchObject([exported])
  const told = await toldAfter(['資料/壊.md', '資料/林.md'], ['資料/像.md'])
  expect(told).toHaveLength(3)
  expect(told).toEqual(
    expect.arrayContaining([
      exported,
      {
        message: { key: 'toast.loreExportedOff', values: { count: 2, paths: '資料/壊.md · 資料/林.md' } },
        isLasting: true,
      },
      {
        message: { key: 'toast.loreNotExported', values: { count: 1, paths: '資料/像.md' } },
        isLasting: true,
      },
    ]),
  )
})

it('an export of lore names twenty entries and says how many more there are', async () => {
  const off = Array.from({ length: 23 }, (_, at) => `資料/${at}.md`)
  const told = (await toldAfter(off, [])).find(({ isLasting }) => isLasting)
  const paths = `${off.slice(0, 20).join(' · ')} … (+3)`
  expect(told?.message).toEqual({ key: 'toast.loreExportedOff', values: { count: 23, paths } })
})

it('entries are listed anew only for a prompt of other files, or one that does not tell', async () => {
  const host = new FakeHost()
  host.lore = { ...host.lore, revision: 'a' }
  const { store, asked } = await openWindow({ host })
  const { keepUp } = store.getState().lore
  await keepUp('a')
  expect(asked('lore.list')).toHaveLength(1)
  await keepUp('a')
  expect(asked('lore.list')).toHaveLength(1)
  host.lore = { ...host.lore, revision: 'b' }
  await keepUp('b')
  await keepUp(null)
  expect(asked('lore.list')).toHaveLength(3)
})

import { expect, it } from 'vitest'
import { tabStorage } from '../../../../../tests/fakes/disks/tab-storage.ts'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { fixtureTexts, fixtureWork } from '../../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, startWindow, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import { createTranslate } from '../../../../shared/i18n/translate.ts'
import { createKeptTexts } from '../../kept-texts.ts'
import { hasKeptText, unsavedNames, unsavedText } from '../../unsaved-text.ts'

const t = createTranslate('en')
const { root } = fixtureWork
const [first = '', second = ''] = Object.keys(fixtureTexts)

/** Returns the stored changes of a page that appended to a text and lost its connection before they were sent. */
function appended(base: string, text: string) {
  const changes = [...(base === '' ? [] : [base.length]), [0, text] as [number, string]]
  return { documentId: 'earlier', base, confirmed: 0, log: [{ changes, isOwn: true }] }
}

/** A tab whose earlier page had appended to files; `texts`: what it had read. */
function tabWith(texts: Record<string, string>, of = root) {
  const keptTexts = createKeptTexts(tabStorage())
  for (const [path, text] of Object.entries(texts)) {
    const place = keptTexts.place(of, path, `earlier ${path}`)
    place.write(appended(fixtureTexts[path] ?? '', text))
    // The earlier page is gone.
    place.release?.()
  }
  return keptTexts
}

it('brings the text of every file to the host that an earlier page of the tab could not, whatever is shown', async () => {
  const host = new FakeHost()
  const keptTexts = tabWith({ [first]: '雨。', [second]: '風。' })
  const { store } = await openWindow({ host, keptTexts })
  const textOf = (path: string) => host.documents.get(path)?.authority.text
  await until(() => textOf(first) === `${fixtureTexts[first]}雨。`)
  await until(() => textOf(second) === `${fixtureTexts[second]}風。`)
  await until(() => keptTexts.all().length === 0)
  expect([store.getState().kept.stranded, hasKeptText(store)]).toEqual([[], false])
  expect(Object.keys(store.getState().documents.byPath)).toHaveLength(1)
})

it('says what cannot be brought and why, asks before the tab closes, and drops it on the author’s wish', async () => {
  const keptTexts = tabWith({ '消えた.txt': '雨。' })
  const { store } = await openWindow({ keptTexts })
  const stranded = () => store.getState().kept.stranded
  await until(() => stranded().length === 1 && stranded()[0]?.problem !== null)
  expect(stranded()).toMatchObject([{ root, path: '消えた.txt', problem: { code: 'file/not-found' } }])
  expect([hasKeptText(store), unsavedText(store, t)]).toEqual([true, '雨。'])
  store.getState().kept.discard(stranded().map(({ key }) => key))
  expect([stranded(), hasKeptText(store)]).toEqual([[], false])
  const [toast] = store.getState().ui.toasts
  toast?.action?.run()
  expect([stranded().length, unsavedText(store, t)]).toEqual([1, '雨。'])
})

it('keeps and names the text of a file that the host cannot save, though the host has it', async () => {
  const host = new FakeHost()
  const document = host.documents.get(second)
  if (!document) throw new Error('no document')
  const { publish } = document.events
  const error = { code: 'file/disk-full', path: second } as const
  document.events.publish = (event) =>
    publish(event.kind === 'saved' ? { kind: 'save-failed', error } : event)
  const { store } = await openWindow({ host, keptTexts: tabWith({ [second]: '風。' }) })
  await until(() => store.getState().kept.stranded.length === 1)
  expect(document.authority.text).toBe(`${fixtureTexts[second]}風。`)
  expect(store.getState().kept.stranded).toMatchObject([{ path: second, problem: error }])
  expect(hasKeptText(store)).toBe(true)
})

it('keeps the text of works that are not open, and names it', async () => {
  const keptTexts = tabWith({ '01.txt': '雨。' }, '/作品/別の話')
  keptTexts.details.write({ '/作品/別の話': { memo: { text: '覚え', known: [''] } } })
  keptTexts.messages.write('other', { s: [{ kind: 'text', text: '問い' }] })
  const { store } = await openWindow({ keptTexts })
  await until(() => store.getState().kept.stranded.length === 1)
  expect(store.getState().kept.stranded).toMatchObject([{ path: '01.txt', problem: null }])
  expect(unsavedNames(store, t)).toBe('別の話/01.txt, 別の話/Scratchpad, a message that was not sent')
  expect(unsavedText(store, t)).toBe('別の話/01.txt\n\n雨。\n\n別の話/Scratchpad\n\n覚え\n\n問い')
  expect(hasKeptText(store)).toBe(true)
})

it('counts where an open file cannot save it', async () => {
  const keptTexts = createKeptTexts(tabStorage())
  const { store } = await openWindow({ keptTexts })
  expect(hasKeptText(store)).toBe(false)
  const open = keptTexts.place(root, first, 'open')
  open.write(appended('', '雨。'))
  expect(hasKeptText(store)).toBe(true)
  open.write(null)
  expect(hasKeptText(store)).toBe(false)
})

it('counts as unsaved while no work is open, as in a tab that is shut out', () => {
  const host = new FakeHost()
  const { store, connection } = startWindow({ host, keptTexts: tabWith({ [first]: '雨。' }) })
  connection.drop()
  expect(unsavedText(store, t)).toBe(`${fixtureTexts[first]}雨。`)
  expect(hasKeptText(store)).toBe(true)
})

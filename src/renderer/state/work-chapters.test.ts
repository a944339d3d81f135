import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../../tests/fakes/eventually.ts'
import { FakeHost } from '../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../tests/fakes/window-host/open-window.ts'
import { sitesFor } from '../../shared/domain/work/publishing.ts'
import type { AppState } from './app-state.ts'
import { workCommands } from './commands/work-commands.ts'
import { filesOf } from './reducers/work-reducer.ts'
import { exportName, takePicked } from './slices/picked.ts'

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

async function openNovel() {
  const host = new FakeHost({ '001.txt': '一。', '002.txt': '二{雨|雪}。', '003.txt': '三。' })
  host.work = {
    ...host.work,
    lastPath: '001.txt',
    files: ['001.txt', '002.txt', '003.txt'].map((path, order) => ({ path, order, kind: 'manuscript' })),
  }
  const { store, asked, connection } = await openWindow({ host })
  await settled()
  const names = () => filesOf(store.getState().work.current, 'manuscript').map(({ path }) => path)
  const work = () => store.getState().work
  return { host, store, connection, asked, names, work }
}

it('a work is open although the connection is lost before its list of works comes', async () => {
  const { host, connection, work } = await openNovel()
  const unheard: unknown[] = []
  const hear = (reason: unknown) => unheard.push(reason)
  process.on('unhandledRejection', hear)
  onTestFinished(() => void process.off('unhandledRejection', hear))
  expect(await work().open(host.work.root)).toBe(true)
  connection.drop()
  await settled()
  expect(unheard).toEqual([])
  expect(work().error).toBeNull()
})

describe('changes of chapters', () => {
  it('are taken back one by one, the newest first', async () => {
    const { work, names, asked } = await openNovel()
    await work().moveBeside('003.txt', '001.txt', 'before')
    await settled()
    expect(asked('work.reorder')).toEqual([
      expect.objectContaining({ paths: ['003.txt', '001.txt', '002.txt'] }),
    ])
    await work().renameFile('001.txt', '001 雨.txt')
    await work().createFile('004.txt')
    await settled()
    expect(names()).toContain('001 雨.txt')
    expect(work().undoCount).toBe(3)
    await work().undo()
    expect(asked('work.removeFile')).toEqual([expect.objectContaining({ path: '004.txt' })])
    await work().undo()
    await settled()
    expect(names()).toContain('001.txt')
    await work().undo()
    expect(asked('work.reorder').at(-1)).toMatchObject({ paths: ['001.txt', '002.txt', '003.txt'] })
    expect(work().undoCount).toBe(0)
    await work().undo()
    expect(asked('work.reorder')).toHaveLength(2)
  })

  it('that rename one keep what the author changed in the summary that is offered for it', async () => {
    const { store, work } = await openNovel()
    store.getState().summaries.edit('take-1', '雨と風。')
    await work().renameFile('001.txt', '000.txt')
    expect(store.getState().summaries.edited).toEqual({ 'take-1': '雨と風。' })
  })

  it('that remove one first send what was typed into it', async () => {
    const { store, work, asked } = await openNovel()
    const sent: (readonly [string, number])[] = []
    const flush = async (key: string) => void sent.push([key, asked('work.removeFile').length])
    store.editor.current = { flush, closeDocument: async () => undefined } as never
    const key = store.getState().documents.byPath['001.txt']?.key ?? ''
    await work().removeFile('001.txt')
    expect(sent).toEqual([[key, 0]])
  })

  it('by the toast and by the command are taken back once', async () => {
    const { store, work, asked } = await openNovel()
    await work().removeFile('002.txt')
    const [toast] = store.getState().ui.toasts
    toast?.action?.run()
    await settled()
    await work().undo()
    expect(asked('work.restoreFile')).toHaveLength(1)
  })

  it('are not offered to be taken back in another work', async () => {
    const { store, work, host } = await openNovel()
    await work().removeFile('002.txt')
    store.getState().ui.toast({ key: 'toast.copied' })
    host.work = { ...host.work, workId: 'other' }
    await work().open(host.work.root)
    expect(store.getState().ui.toasts.map(({ message }) => message)).toEqual([{ key: 'toast.copied' }])
    await work().removeFile('003.txt')
    work().close()
    expect(store.getState().ui.toasts).toHaveLength(1)
  })

  it('that change nothing ask for nothing', async () => {
    const { work, asked } = await openNovel()
    await work().moveBeside('002.txt', '001.txt', 'after')
    await work().moveBeside('002.txt', '002.txt', 'before')
    expect(asked('work.reorder')).toEqual([])
    expect(work().undoCount).toBe(0)
  })
})

describe('what is answered after another work was opened', () => {
  /** Asks something of the work, and opens another one with the same chapters before the answer. */
  async function late(ask: (work: AppState['work']) => Promise<unknown>) {
    const opened = await openNovel()
    const { store } = opened
    const done = ask(store.getState().work)
    const { current } = store.getState().work
    const other = current && { ...current, workId: 'other', details: { ...current.details, title: '猫' } }
    store.setState(({ work }) => ({ work: { ...work, current: other } }))
    await done
    return { ...opened, documents: () => store.getState().documents }
  }

  it('takes no new chapter back there', async () => {
    const { asked, work } = await late(({ createFile }) => createFile('004.txt'))
    await work().undo()
    expect(asked('work.removeFile')).toEqual([])
    expect(work().undoCount).toBe(0)
  })

  it('renames no text there', async () => {
    const { documents, work } = await late(({ renameFile }) => renameFile('001.txt', '001 雨.txt'))
    expect(Object.keys(documents().byPath)).toEqual(['001.txt'])
    expect(work().undoCount).toBe(0)
  })

  it('closes no text there, and offers no undo that would do nothing', async () => {
    const { documents, store } = await late(({ removeFile }) => removeFile('001.txt'))
    expect(documents().activePath).toBe('001.txt')
    expect(store.getState().ui.toasts.at(-1)).toEqual({
      id: expect.any(String),
      tone: 'plain',
      message: { key: 'toast.removed', values: { path: '001.txt' } },
    })
  })

  it('changes no details there', async () => {
    const { work } = await late(({ updateDetails }) => updateDetails({ title: '雨' }))
    expect(work().current?.details.title).toBe('猫')
  })

  it('writes nothing there that was typed into a field of the work before', async () => {
    const { asked, work } = await late(async () => undefined)
    expect(await work().updateDetails({ memo: '雨' }, 'work-1')).toBe(true)
    expect(asked('work.updateDetails')).toEqual([{ workId: 'work-1', patch: { memo: '雨' } }])
    expect(work().current?.details.memo).toBe('')
  })

  it('offers no order of chapters to be taken back there', async () => {
    const { work } = await late(({ move }) => move('001.txt', 1))
    expect(work().undoCount).toBe(0)
  })
})

it('two tags that are added before the host answers are both kept', async () => {
  const { host, work } = await openNovel()
  const add = (tag: string) => work().updateDetails(({ genres }) => ({ genres: [...genres, tag] }))
  expect(await Promise.all([add('雨'), add('風')])).toEqual([true, true])
  expect(host.work.details.genres.slice(-2)).toEqual(['雨', '風'])
})

it('changes of chapters wait for their own work to be taken back', async () => {
  const { host, work, asked } = await openNovel()
  await work().renameFile('001.txt', '000.txt')
  const [own, other] = [host.work, { ...host.work, workId: 'other' }]
  host.work = other
  await work().open(other.root)
  expect(work().undoCount).toBe(0)
  await work().undo()
  host.work = own
  await work().open(own.root)
  expect(work().undoCount).toBe(1)
  await work().undo()
  expect(asked('work.renameFile').at(-1)).toMatchObject({ path: '000.txt', newPath: '001.txt' })
})

it('a new work begins with a chapter and the caret in it', async () => {
  const host = new FakeHost({})
  host.work = { ...host.work, files: [], lastPath: null }
  const { store, asked } = await openWindow({ host })
  await settled()
  await store.getState().work.create('/home/author', '猫')
  expect(asked('work.createFile')).toEqual([expect.objectContaining({ path: '001.txt' })])
  expect(store.getState().documents).toMatchObject({ activePath: '001.txt', isFocusWanted: true })
})

it('a new work is shown with its first chapter, and nothing can be typed before', async () => {
  const { host, store, asked } = await openNovel()
  host.work = { ...host.work, workId: 'new', root: '/home/author/猫', name: '猫', files: [], lastPath: null }
  let answer = (): void => undefined
  const hold = () => {
    host.heldCreation = new Promise((resolve) => {
      answer = resolve
    })
  }
  hold()
  const created = store.getState().work.create('/home/author', '猫')
  await settled()
  const before = { isOpening: true, current: { root: '/home/author/刻の迷宮' } }
  expect(store.getState().work).toMatchObject(before)
  answer()
  hold()
  await eventually(() => expect(asked('work.createFile')).toHaveLength(1))
  expect(store.getState().work).toMatchObject(before)
  answer()
  await created
  expect(store.getState().work).toMatchObject({ isOpening: false, current: { root: '/home/author/猫' } })
  expect(store.getState().documents).toMatchObject({ activePath: '001.txt', isFocusWanted: true })
})

it('a text that the author leaves before its place is found takes no focus from the next one', async () => {
  const { store } = await openNovel()
  const { documents } = store.getState()
  const going = documents.goToPlace({ path: '002.txt', from: 3 })
  documents.goTo('001.txt')
  await going
  expect(store.getState().documents).toMatchObject({ activePath: '001.txt', isFocusWanted: true })
})

it('a new chapter that was given up takes the author nowhere', async () => {
  const { host, store, work, names } = await openNovel()
  let answer = (): void => undefined
  host.heldCreation = new Promise((resolve) => {
    answer = resolve
  })
  const created = work().createFile('004.txt')
  expect(work().isOpening).toBe(true)
  work().giveUpOpening()
  answer()
  expect(await created).toBe('004.txt')
  await settled()
  expect(names()).toContain('004.txt')
  expect(store.getState().documents.activePath).toBe('001.txt')
})

describe('a text for a site', () => {
  afterEach(() => vi.unstubAllGlobals())

  const clipboard = () => {
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } })
    return copied
  }

  it('is copied at once, and says for whom and how much', async () => {
    const copied = clipboard()
    const { store } = await openNovel()
    await store.getState().publishing.copyFor('001.txt', 'narou')
    expect(copied).toEqual(['一。\n'])
    expect(store.getState().ui.toasts.at(-1)?.message).toEqual({
      key: 'publish.copied.narou',
      values: { count: 2 },
    })
    expect(store.getState().publishing.site).toBe('narou')
  })

  it('is plain for English, which the Japanese sites are not offered for', async () => {
    const { host, store } = await openNovel()
    const offered = () =>
      workCommands.filter(({ id, isEnabled }) => /^publish\.copy\./.test(id) && isEnabled(store.getState()))
    expect(offered()).toHaveLength(4)
    const load = async (path: string) => {
      await store.getState().publishing.load(path)
      return store.getState().publishing.site
    }
    store.getState().publishing.choose('narou')
    host.setFiles(
      host.work.files.map((file) => ({ ...file, language: file.path === '001.txt' ? 'en' : 'ja' })),
    )
    await settled()
    expect(offered().map(({ id }) => id)).toEqual(['publish.copy.plain'])
    expect(await load('001.txt')).toBe('plain')
    // The choice for one language does not apply to the other one.
    store.getState().publishing.choose('aozora')
    expect(await load('001.txt')).toBe('aozora')
    expect(await load('002.txt')).toBe('narou')
    expect(sitesFor('en')[0]).toBe('plain')
    expect(sitesFor('ja')[0]).toBe('kakuyomu')
  })

  it('asks about dice first', async () => {
    const copied = clipboard()
    const { store } = await openNovel()
    await store.getState().publishing.copyFor(null, 'kakuyomu')
    expect(copied).toEqual([])
    expect(store.getState().ui.dialog).toEqual({ kind: 'post', path: null })
    await store.getState().publishing.load(null)
    const { texts, copy } = store.getState().publishing
    await copy(texts ?? [], { '{雨|雪}': '雪' })
    expect(copied).toEqual(['一。\n\n\n二雪。\n\n\n三。\n'])
  })
})

it('of texts that are fetched at the same time, those that were asked for last are shown', async () => {
  const { store } = await openNovel()
  let answer = (): void => undefined
  const whole = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { documents, publishing } = store.getState()
  store.setState({ documents: { ...documents, flush: () => whole } })
  const loading = publishing.load(null)
  store.setState({ documents })
  await publishing.load('002.txt')
  answer()
  await loading
  expect(store.getState().publishing).toMatchObject({ chapter: '002.txt', texts: [{ path: '002.txt' }] })
})

it('summaries of a work that was left stop, and those of the open one can be made', async () => {
  const { host, store, asked, work } = await openNovel()
  const { make } = store.getState().summaries
  const making = make([{ kind: 'episode', path: '001.txt' }])
  host.work = { ...host.work, workId: 'other' }
  await work().open(host.work.root)
  expect(store.getState().summaries).toMatchObject({ making: null, value: null })
  await make([{ kind: 'episode', path: '002.txt' }])
  await making
  expect(asked('summary.make').map((input) => (input as { workId: string }).workId)).toContain('other')
})

it('a dialog about a work goes with it, and one about the app stays', async () => {
  const { host, store, work } = await openNovel()
  const { ui } = store.getState()
  ui.open({ kind: 'check', path: '001.txt' })
  await work().open(host.work.root)
  await settled()
  expect(store.getState().ui.dialog).toMatchObject({ kind: 'check' })
  host.work = { ...host.work, workId: 'other' }
  await work().open(host.work.root)
  expect(store.getState().ui.dialog).toBeNull()
  ui.open({ kind: 'settings', section: 'models' })
  work().close()
  expect(store.getState().ui.dialog).toMatchObject({ kind: 'settings' })
})

it('pickers begin where something was picked last', async () => {
  const { store } = await openNovel()
  const { ui } = store.getState()
  expect(ui.lastPlace('export-text')).toBeNull()
  ui.keepPlace('export-project', '/home/author/書き出し')
  expect(ui.lastPlace('export-text')).toBe('/home/author/書き出し')
  expect(ui.lastPlace('open-work')).toBeNull()
})

it.each(['texts', 'entries'] as const)(
  'an import of %s can be undone in its own work alone',
  async (kind) => {
    const { store } = await openNovel()
    const plan = {
      file: '/a.json',
      hash: '',
      format: 'sillytavern' as const,
      entries: [],
      empty: 0,
      tooMany: 0,
    }
    const importing = () => {
      const { publishing, lore } = store.getState()
      store.setState({ lore: { ...lore, plan } })
      return kind === 'texts' ? publishing.importFrom('/a.txt') : lore.runImport()
    }
    await importing()
    expect(store.getState().ui.toasts.at(-1)?.action?.key).toBe('action.undo')
    const done = importing()
    const { work } = store.getState()
    if (work.current) store.setState({ work: { ...work, current: { ...work.current, workId: 'another' } } })
    await done
    const toast = store.getState().ui.toasts.find(({ action }) => action === undefined)
    expect(toast?.message).toMatchObject({ key: kind === 'texts' ? 'toast.imported' : 'toast.loreImported' })
  },
)

it('an export in the app’s own picker never replaces a file', async () => {
  const { store, asked } = await openNovel()
  takePicked(store.getState(), 'export-text', { path: '/home/author', name: '本' })
  await settled()
  expect(asked('work.exportText')).toEqual([
    expect.objectContaining({ target: '/home/author/本', mayReplace: false }),
  ])
})

it('asks before an export takes the place of a file, and writes what was wanted then', async () => {
  const { host, store, asked } = await openNovel()
  const { publishing } = store.getState()
  publishing.setExport({ format: 'epub' })
  host.exports.add('/home/author/本')
  await publishing.exportTo('/home/author/本', false)
  publishing.setExport({ format: 'txt' })
  const [toast] = store.getState().ui.toasts
  expect(toast).toMatchObject({
    message: { key: 'toast.exportExists', values: { path: '/home/author/本' } },
    action: { key: 'action.replace' },
  })
  toast?.action?.run()
  await settled()
  expect(asked('work.exportText').at(-1)).toMatchObject({
    target: '/home/author/本',
    mayReplace: true,
    options: { format: 'epub' },
  })
  expect(store.getState().ui.toasts.at(-1)).toMatchObject({ message: { key: 'toast.exported' } })
})

it('a chapter is exported alone, as one file that has its name', async () => {
  const { store, asked } = await openNovel()
  const { publishing, work } = store.getState()
  const [chapter] = work.current?.files ?? []
  publishing.setExport({ isPerChapter: true })
  await publishing.load(chapter?.path ?? '')
  expect(exportName(store.getState(), 'export-text')).toBe(chapter?.path.replace('.txt', ''))
  await store.getState().publishing.exportTo('/home/author/一章', false)
  await store.getState().publishing.load(null)
  expect(exportName(store.getState(), 'export-text')).toBe(work.current?.name)
  await store.getState().publishing.exportTo('/home/author/全部', false)
  expect(asked('work.exportText')).toEqual([
    expect.objectContaining({
      paths: [chapter?.path],
      options: expect.objectContaining({ isPerChapter: false }),
    }),
    expect.not.objectContaining({ paths: expect.anything() }),
  ])
})

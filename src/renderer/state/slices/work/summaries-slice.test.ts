import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../../tests/fakes/eventually.ts'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { ChapterSummary, SummaryOffer } from '../../../../shared/domain/lore/chapter-summary.ts'

const takeId = 'take-1'
const file = '資料/あらすじ/001.md'
const offer: SummaryOffer = {
  takeId,
  text: '雨が降った。',
  isEdited: false,
  modelName: 'tiny',
  createdAt: 1,
  isCut: false,
  isPartial: false,
}

async function openOffer() {
  const host = new FakeHost({ '001.txt': '一。' })
  host.work = {
    ...host.work,
    lastPath: '001.txt',
    files: [{ path: '001.txt', order: 0, kind: 'manuscript' }],
  }
  const shown = (change: Partial<ChapterSummary>) => {
    const chapter = {
      path: '001.txt',
      file,
      state: 'own',
      error: null,
      text: '雨。',
      offer,
      takes: 1,
    } as const
    host.summaries = { ...host.summaries, episodes: [{ ...chapter, ...change }] }
  }
  shown({})
  const { store, asked, connection } = await openWindow({ host })
  const summaries = () => store.getState().summaries
  await summaries().refresh()
  summaries().edit(takeId, '雨が、降った。')
  return { host, store, asked, connection, shown, summaries }
}

it('a summary whose file was changed meanwhile can be accepted once the file is shown as it is now', async () => {
  const { shown, summaries } = await openOffer()
  shown({ text: '雪。' })
  await summaries().accept(takeId, '雨が、降った。', '雨。')
  expect(summaries()).toMatchObject({ error: null, conflict: file })
  expect(summaries().value?.episodes[0]).toMatchObject({ text: '雪。', offer })
  expect(summaries().edited[takeId]).toBe('雨が、降った。')

  await summaries().accept(takeId, '雨が、降った。', '雪。')
  expect(summaries()).toMatchObject({ error: null, conflict: null, edited: {} })
  expect(summaries().value?.episodes[0]).toMatchObject({ text: '雨が、降った。', offer: null })
})

it('what the author changes in an offer is kept by the host while it is typed', async () => {
  const { asked, summaries } = await openOffer()
  summaries().edit(takeId, '雨が、降りやんだ。')
  await eventually(() =>
    expect(asked('summary.edit').at(-1)).toMatchObject({ takeId, text: '雨が、降りやんだ。' }),
  )
})

it('what the author changes is sent again where the connection was lost meanwhile', async () => {
  const { host, asked, connection, summaries } = await openOffer()
  host.onSummaryEdit = () => {
    connection.drop()
    host.onSummaryEdit = () => ({})
    return {}
  }
  summaries().edit(takeId, '雪が降った。')
  await eventually(() => expect(asked('summary.edit')).toHaveLength(2))
  expect(asked('summary.edit').at(-1)).toMatchObject({ takeId, text: '雪が降った。' })
  expect(summaries().error).toBeNull()
})

it('an offer that another window has decided is no longer shown, and the refusal is', async () => {
  const { shown, summaries } = await openOffer()
  shown({ text: '雪。', offer: null })
  await summaries().accept(takeId, '雨が、降った。', '雨。')
  expect(summaries().conflict).toBe(file)
  expect(summaries().value?.episodes[0]).toMatchObject({ text: '雪。', offer: null })
})

it('the dialog asks what the next prompt has no room for, also while the tab that shows it is hidden', async () => {
  const { store, asked, summaries } = await openOffer()
  await eventually(() => expect(store.getState().documents.activePath).toBe('001.txt'))
  store.getState().ui.togglePane('side', false)
  store.getState().preview.invalidate()
  expect(store.getState().preview.value).toBeNull()
  store.getState().ui.open({ kind: 'summaries' })
  await summaries().refresh()
  await eventually(() => expect(store.getState().preview.value).not.toBeNull())
  expect(asked('draft.preview').length).toBeGreaterThan(0)
})

const targets = ['001.txt', '002.txt'].map((path) => ({ kind: 'episode', path }) as const)
const failure = { code: 'model/unreachable', address: 'http://127.0.0.1:1' } as const

/** Starts two summaries in the open dialog; `finish` lets the model write them, or fail. */
async function startSummaries({ fails = false } = {}) {
  const { host, store, summaries } = await openOffer()
  const held = Promise.withResolvers<void>()
  host.heldSummary = held.promise
  if (fails) host.failedSummary = failure
  const { ui } = store.getState()
  ui.open({ kind: 'summaries' })
  const made = summaries().make(targets)
  await eventually(() => expect(summaries().making?.pieces).toBe(1))
  const finish = async () => {
    held.resolve()
    await made
  }
  return { store, summaries, ui, made, finish, told: () => store.getState().ui.toasts }
}

describe('the end of summaries', () => {
  it('is told by a toast that leads back where the dialog was closed meanwhile', async () => {
    const { store, ui, finish, told } = await startSummaries()
    ui.close()
    await finish()
    expect(told()).toMatchObject([
      { tone: 'plain', message: { key: 'toast.summaries.made', values: { made: 2, total: 2 } } },
    ])
    told()[0]?.action?.run()
    expect(store.getState().ui.dialog).toEqual({ kind: 'summaries' })
  })

  it('is told with its reason where they failed, and the dialog still has it when it is opened again', async () => {
    const { summaries, ui, finish, told } = await startSummaries({ fails: true })
    ui.close()
    await finish()
    expect(told()).toMatchObject([
      { tone: 'bad', message: { error: failure }, action: { key: 'command.summaries' } },
    ])
    told()[0]?.action?.run()
    await summaries().refresh()
    expect(summaries().error).toEqual(failure)
    await summaries().discard(takeId)
    expect(summaries().error).toBeNull()
  })

  it('is told where they were stopped, and where the work was left', async () => {
    const stopped = await startSummaries()
    stopped.ui.close()
    stopped.summaries().stop()
    await stopped.made
    const message = { key: 'toast.summaries.stopped', values: { made: 0, total: 2 } }
    expect(stopped.told()).toMatchObject([{ message, action: { key: 'command.summaries' } }])

    const left = await startSummaries()
    left.ui.close()
    left.summaries().leave()
    await left.made
    expect(left.told()).toMatchObject([{ message }])
    expect(left.told()[0]?.action).toBeUndefined()
  })

  it('is not told twice where the dialog shows it', async () => {
    const { told, finish } = await startSummaries()
    await finish()
    expect(told()).toEqual([])
  })
})

it('a failure to list summaries is forgotten once they are listed', async () => {
  const { host, summaries } = await openOffer()
  host.failedSummaryList = failure
  await summaries().refresh()
  expect(summaries().error).toEqual(failure)
  host.failedSummaryList = null
  await summaries().refresh()
  expect(summaries().error).toBeNull()
})

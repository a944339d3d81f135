import { expect, it } from 'vitest'
import { eventually } from '../../../../../tests/fakes/eventually.ts'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { EpisodeSummary, SummaryOffer } from '../../../../shared/domain/lore/episode-summary.ts'
import { keyOfPlace } from './summaries-slice.ts'

const place = { kind: 'episode', path: '001.txt' } as const
const offer: SummaryOffer = { text: '雨が降った。', modelName: 'tiny', createdAt: 1, isCut: false }

async function openOffer() {
  const host = new FakeHost({ '001.txt': '一。' })
  host.work = {
    ...host.work,
    lastPath: '001.txt',
    files: [{ path: '001.txt', order: 0, kind: 'manuscript' }],
  }
  const shown = (change: Partial<EpisodeSummary>) => {
    const episode = {
      path: '001.txt',
      file: '資料/あらすじ/001.md',
      state: 'own',
      error: null,
      text: '雨。',
      offer,
    } as const
    host.summaries = { ...host.summaries, episodes: [{ ...episode, ...change }] }
  }
  shown({})
  const { store, asked } = await openWindow({ host })
  const summaries = () => store.getState().summaries
  await summaries().refresh()
  summaries().edit(place, offer.text, '雨が、降った。')
  return { store, asked, shown, summaries }
}

it('a summary whose file was changed meanwhile can be accepted once the file is shown as it is now', async () => {
  const { shown, summaries } = await openOffer()
  shown({ text: '雪。' })
  await summaries().accept(place, '雨が、降った。', '雨。')
  expect(summaries()).toMatchObject({ error: null, conflict: keyOfPlace(place) })
  expect(summaries().value?.episodes[0]).toMatchObject({ text: '雪。', offer })
  expect(summaries().edited[keyOfPlace(place)]?.text).toBe('雨が、降った。')

  await summaries().accept(place, '雨が、降った。', '雪。')
  expect(summaries()).toMatchObject({ error: null, conflict: null, edited: {} })
  expect(summaries().value?.episodes[0]).toMatchObject({ text: '雨が、降った。', offer: null })
})

it('an offer that another window has decided is no longer shown, and the refusal is', async () => {
  const { shown, summaries } = await openOffer()
  shown({ text: '雪。', offer: null })
  await summaries().accept(place, '雨が、降った。', '雨。')
  expect(summaries().conflict).toBe(keyOfPlace(place))
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

import { expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { fixtureTake } from '../../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'
import { IdeaItem, type IdeaWords } from '../../../../shared/domain/drafting/draft-details.ts'
import type { Take } from '../../../../shared/domain/drafting/take.ts'
import { ideaGroups } from './ideas-slice.ts'

const idea = '# タイトル:\n灯台の残り火\n# あらすじ:\n霧の町の話。\n'

async function openIdea() {
  const host = new FakeHost({ '001.txt': '一。' })
  host.work = {
    ...host.work,
    lastPath: '001.txt',
    files: [{ path: '001.txt', order: 0, kind: 'manuscript' }],
  }
  const { store } = await openWindow({ host })
  const { workId } = host.work
  const take: Take = {
    takeId: 'idea-1',
    workId,
    path: '001.txt',
    mode: 'idea',
    ideaTarget: 'all',
    placeId: 'idea-1',
    task: '',
    text: idea,
    lead: '',
    position: 0,
    state: 'pending',
    acceptedLength: 0,
    stopReason: 'stop',
    modelName: 'tiny',
    isDemo: false,
    promptTokens: null,
    completionTokens: 10,
    tokensPerSecond: null,
    elapsedMs: 1,
    createdAt: 1,
  }
  host.runs.takes.set(take.takeId, take)
  await store.getState().ideas.load(workId)
  const offers = () =>
    store
      .getState()
      .ui.toasts.filter(({ action }) => action !== undefined)
      .map(({ message }) => message)
  const details = () => store.getState().work.current?.details
  return { store, ideas: () => store.getState().ideas, work: () => store.getState().work, offers, details }
}

it('what was taken back is not offered to be taken back once more', async () => {
  const { ideas, offers, details } = await openIdea()
  const before = details()?.synopsis
  await ideas().transfer('synopsis')
  expect(details()?.synopsis).toBe('霧の町の話。')
  expect(offers()).toHaveLength(1)
  await ideas().undoTransfer()
  expect(details()?.synopsis).toBe(before)
  expect(offers()).toEqual([])
})

it('gives back what was typed into the field a moment before the transfer', async () => {
  const { ideas, details, work } = await openIdea()
  void work().updateDetails({ synopsis: '自分のあらすじ。' })
  await ideas().transfer('synopsis')
  expect(details()?.synopsis).toBe('霧の町の話。')
  await ideas().undoTransfer()
  expect(details()?.synopsis).toBe('自分のあらすじ。')
})

it('leaves what the author has typed over a transfer, also a moment before it is taken back', async () => {
  const { ideas, details, work } = await openIdea()
  await ideas().transfer('synopsis')
  void work().updateDetails({ synopsis: '書き直した。' })
  await ideas().undoTransfer()
  expect(details()?.synopsis).toBe('書き直した。')
})

it('only the newest transfer is offered to be taken back', async () => {
  const { ideas, offers } = await openIdea()
  await ideas().transfer('synopsis')
  await ideas().transfer('all')
  expect(offers()).toEqual([{ key: 'ideas.transferred', values: { count: 2 } }])
})

it('pressed twice, it gives back what the author had, and so does the whole idea after one of its parts', async () => {
  const { ideas, details, work } = await openIdea()
  await work().updateDetails({ synopsis: '自分のあらすじ。' })
  await Promise.all([ideas().transfer('synopsis'), ideas().transfer('synopsis')])
  expect(details()?.synopsis).toBe('霧の町の話。')
  await ideas().undoTransfer()
  expect(details()?.synopsis).toBe('自分のあらすじ。')
  await ideas().transfer('synopsis')
  await ideas().transfer('all')
  await ideas().undoTransfer()
  expect(details()?.synopsis).toBe('自分のあらすじ。')
})

it('a transfer that ends after another work was opened is not offered to be taken back there', async () => {
  const { ideas, offers, store, work } = await openIdea()
  const transferring = ideas().transfer('synopsis')
  await Promise.resolve()
  const { current } = work()
  store.setState({ work: { ...work(), current: current && { ...current, workId: 'other' } } })
  await transferring
  expect([offers(), ideas().transferred]).toEqual([[], null])
})

const fields = Object.fromEntries(IdeaItem.options.map((item) => [item, item])) as IdeaWords['fields']
const words: IdeaWords = { fields }

it('takes over nothing older than the shown section, also where that has no word in it', () => {
  const takes = ['# title:\n迷宮\n# keywords:\n- 雨', '# keywords:\n-'].map((text, index) =>
    fixtureTake({ takeId: `t${index}`, placeId: 't0', mode: 'idea', text, createdAt: index }),
  )
  const [group] = ideaGroups(takes, undefined, [words])
  expect(group?.sections).toMatchObject({ title: '迷宮', keywords: '-' })
  expect(group?.takeIds).toMatchObject({ title: 't0', keywords: 't1' })
  expect(group?.change).toEqual({ title: '迷宮' })
})

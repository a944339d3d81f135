import { expect, it } from 'vitest'
import { openWindow, until } from '../../../../../tests/fakes/window-host/open-window.ts'
import { activeRun, type SeveralTakes } from './runs-slice.ts'

it.each<[string, SeveralTakes]>([
  ['several takes', { takes: 3 }],
  ['generation without end', { isEndless: true }],
])('another word in a take of %s writes one take', async (_name, several) => {
  const { asked, host, store } = await openWindow()
  const { runs, words } = store.getState()
  await runs.start({ ...several, endAt: 2 })
  const run = activeRun(store.getState().runs)?.run
  host.runs.write(run?.runId ?? '', '雨が降る。')
  host.runs.end(run?.runId ?? '', 'finished')
  await until(() => store.getState().takes.list.some(({ text }) => text === '雨が降る。'))
  await until(() => activeRun(store.getState().runs) === null)
  await words.open(run?.takeId ?? '', 0)
  await words.choose('雪')
  const [, again] = asked('draft.start')
  expect(again).toMatchObject({ endAt: 2, branch: { takeId: run?.takeId, at: 0, word: '雪' } })
  expect(again).not.toHaveProperty('takes')
  expect(again).not.toHaveProperty('isEndless')
})

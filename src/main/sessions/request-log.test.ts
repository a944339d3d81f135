import { expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { createRequestLog, type RequestEnd } from './request-log.ts'

const end: RequestEnd = { promptTokens: 9, reusedTokens: null, completionTokens: 1, end: 'finished' }

function rig() {
  const clock = manualClock()
  let id = 0
  return { clock, log: createRequestLog({ clock, random: { next: () => 0, id: () => `r${++id}` } }) }
}

it('keeps what was asked, newest first, with the time that it took', async () => {
  const { clock, log } = rig()
  const first = log.begin('s', 'decision', 'm')
  await clock.advance(30)
  const second = log.begin('s', 'forked_query', 'm')
  first(end)
  second({ ...end, ms: 7, end: 'stopped' })
  const at = clock.now()
  expect(log.of('s')).toEqual([
    {
      ...end,
      requestId: 'r2',
      at,
      purpose: 'forked_query',
      isBackground: true,
      modelName: 'm',
      ms: 7,
      end: 'stopped',
    },
    {
      ...end,
      requestId: 'r1',
      at: at - 30,
      purpose: 'decision',
      isBackground: false,
      modelName: 'm',
      ms: 30,
    },
  ])
  expect(log.of('another')).toEqual([])
})

it('is bounded, by requests and by sessions', () => {
  const { log } = rig()
  for (let i = 0; i < 201; i++) log.begin('long', 'work', 'm')(end)
  expect(log.of('long').map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 200 }, (_, i) => `r${201 - i}`),
  )
  for (let i = 0; i < 50; i++) log.begin(`s${i}`, 'reply', 'm')(end)
  expect(log.of('long')).toEqual([])
  expect(log.of('s0')).toHaveLength(1)
  log.forget('s0')
  expect(log.of('s0')).toEqual([])
})

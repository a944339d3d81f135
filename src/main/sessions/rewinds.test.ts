import { expect, it } from 'vitest'
import { Rewinds } from './rewinds.ts'
import type { OpenSession } from './session-host.ts'

function stage() {
  const accepting = new Set<string>()
  const stops: string[] = []
  const runner = { stop: () => void stops.push('stop'), idle: async () => undefined }
  const open = { session: { sessionId: 's1' }, runner } as unknown as OpenSession
  const speculations = { known: (sessionId: string) => ({ isAccepting: accepting.has(sessionId) }) }
  return { accepting, stops, open, speculations, rewinds: new Rewinds() }
}

it('an undo is refused while a speculation is accepted into its session, and stops nothing', async () => {
  const { accepting, stops, open, speculations, rewinds } = stage()
  accepting.add('s1')
  const work: string[] = []
  await expect(rewinds.run(open, speculations, () => work.push('undone'))).rejects.toMatchObject({
    info: { code: 'speculation/accepting' },
  })
  expect([work, stops]).toEqual([[], []])
  accepting.clear()
  accepting.add('another')
  await rewinds.run(open, speculations, () => work.push('undone'))
  expect([work, stops]).toEqual([['undone'], ['stop']])
})

it('an undo is over before an acceptance that begins meanwhile adds its turn', async () => {
  const { accepting, open, speculations, rewinds } = stage()
  const files = Promise.withResolvers<void>()
  const order: string[] = []
  const undoing = rewinds.run(open, speculations, async () => {
    await files.promise
    order.push('undone')
  })
  accepting.add('s1')
  const acceptance = rewinds.over(open).then(() => order.push('accepted'))
  await expect(rewinds.run(open, speculations, () => order.push('undone again'))).rejects.toThrow(
    'speculation/accepting',
  )
  files.resolve()
  await Promise.all([undoing, acceptance])
  expect(order).toEqual(['undone', 'accepted'])
})

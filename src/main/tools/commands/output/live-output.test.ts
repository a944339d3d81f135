import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../../../tests/fakes/manual-clock.ts'
import { createLiveOutput } from './live-output.ts'

function listen(options?: { everyMs: number; limit: number }) {
  const clock = manualClock()
  const heard: string[] = []
  return { clock, heard, live: createLiveOutput(clock, (text) => heard.push(text), options) }
}

describe('handing output on', () => {
  it('gathers what comes close together', async () => {
    const { clock, heard, live } = listen()
    live.push('a')
    live.push('b')
    expect(heard).toEqual([])
    await clock.advance(100)
    live.push('c')
    live.end()
    live.push('d')
    expect(heard).toEqual(['ab', 'c'])
    expect(clock.pending).toBe(0)
  })

  it('hands on only the end of much, never half a character', async () => {
    const { clock, heard, live } = listen({ everyMs: 10, limit: 9 })
    for (let piece = 0; piece < 1000; piece++) live.push('😀'.repeat(10))
    await clock.advance(10)
    expect(heard).toEqual([`[…]\n${'😀'.repeat(4)}`])
  })
})

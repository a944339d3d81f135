import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../../tests/fakes/manual-clock.ts'
import { createLiveOutput } from './running-command.ts'

function listen() {
  const clock = manualClock()
  const heard: string[] = []
  return { clock, heard, live: createLiveOutput(clock, (text) => heard.push(text)) }
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
    const { clock, heard, live } = listen()
    for (let piece = 0; piece < 3000; piece++) live.push('😀'.repeat(10))
    live.push('x')
    await clock.advance(100)
    expect(heard).toEqual([`[…]\n${'😀'.repeat(4095)}x`])
  })
})

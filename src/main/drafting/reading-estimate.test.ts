import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { createReadingEstimate } from './reading-estimate.ts'

describe('how far a silent server has read', () => {
  it('is estimated by the speed of the run before, labelled, and never said to be done', async () => {
    const clock = manualClock()
    const said: unknown[] = []
    const report = { phase: (...phase: unknown[]) => void said.push(phase) }
    const speeds = new Map<string, number>()
    const first = createReadingEstimate({ clock, report, speeds }, 'kobold', 1000)
    first.heard('reading', null)
    await clock.advance(10_000)
    first.heard('writing', null)
    first.end()
    expect(said).toEqual([])
    expect(speeds.get('kobold')).toBe(100)

    const second = createReadingEstimate({ clock, report, speeds }, 'kobold', 400)
    second.heard('queued', null)
    await clock.advance(60_000)
    second.heard('reading', null)
    await clock.advance(3_000)
    expect(said).toEqual([0.25, 0.5, 0.75].map((share) => ['reading', share, 'estimated']))
    await clock.advance(5_000)
    expect(said.at(-1)).toEqual(['reading', 0.99, 'estimated'])
    second.heard('writing', null)
    expect(first.result()).toEqual({ predictedTokens: 1000, predictedMs: null, tookMs: 10_000 })
    expect(second.result()).toEqual({ predictedTokens: 400, predictedMs: 4_000, tookMs: 8_000 })
    said.length = 0
    await clock.advance(5_000)
    expect(said).toEqual([])
  })

  it('is measured by what the server says that it read, where it says so', async () => {
    const clock = manualClock()
    const report = { phase: () => undefined }
    const speeds = new Map<string, number>()
    const read = async (predicted: number, usage?: { promptTokens: number; reusedTokens: number | null }) => {
      const estimate = createReadingEstimate({ clock, report, speeds }, 'kobold', predicted)
      estimate.heard('reading', null)
      await clock.advance(2_000)
      estimate.heard('writing', null)
      if (usage) estimate.counted(usage)
      estimate.end()
      return speeds.get('kobold')
    }
    expect(await read(1000, { promptTokens: 1200, reusedTokens: 1190 })).toBeUndefined()
    expect(await read(1000, { promptTokens: 1200, reusedTokens: 1000 })).toBe(100)
    expect(await read(1000, { promptTokens: 1200, reusedTokens: 1190 })).toBe(100)
    expect(await read(1000, { promptTokens: 1200, reusedTokens: null })).toBe(500)
  })

  it('is left to a server that tells it', async () => {
    const clock = manualClock()
    const said: unknown[] = []
    const report = { phase: (...phase: unknown[]) => void said.push(phase) }
    const estimate = createReadingEstimate(
      { clock, report, speeds: new Map([['engine', 100]]) },
      'engine',
      400,
    )
    estimate.heard('reading', 0)
    await clock.advance(5_000)
    expect(said).toEqual([])
  })
})

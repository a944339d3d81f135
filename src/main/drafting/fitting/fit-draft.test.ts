import { describe, expect, it } from 'vitest'
import { fakeFitRequest } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { countCodePoints } from '../../../shared/text/code-points.ts'
import { joinParts } from '../prompt/build-prompt.ts'
import { fitDraft } from './fit-draft.ts'

const line = 'それは長い夜のはじまりであった。\n'
const prose = (lines: number) => line.repeat(lines)
/** As KoboldCpp 1.76: BOS counted, nothing told from 50,000 tokens on. */
const capped = (text: string) => {
  const tokens = 1 + Math.ceil(countCodePoints(text) * 0.8)
  return tokens >= 50_000 ? 0 : tokens
}

describe('what fits', () => {
  it('is sent whole, after one count', async () => {
    const fitted = await fitDraft(fakeFitRequest(prose(10)))
    expect(fitted).toMatchObject({ keptChars: 170, bodyChars: 170, isShortened: false, requestCount: 1 })
    expect(fitted.totalTokens).toBe(joinParts(fitted.prompt.parts).length)
  })

  it('fits when the total is exactly what is available', async () => {
    const { totalTokens } = await fitDraft(fakeFitRequest(prose(10)))
    const exact = fakeFitRequest(prose(10), { contextTokens: totalTokens + 500 })
    expect((await fitDraft(exact)).keptChars).toBe(170)
    const tight = fakeFitRequest(prose(10), {
      contextTokens: totalTokens + 499,
      settings: { fitMode: 'none' },
    })
    await expect(fitDraft(tight)).rejects.toMatchObject({
      info: { code: 'model/context-overflow', usedTokens: totalTokens, limitTokens: totalTokens - 1 },
    })
  })
})

describe('what does not fit', () => {
  it('is refused with the tokens used and allowed, whatever the reason', async () => {
    const overflow = (request: ReturnType<typeof fakeFitRequest>) =>
      expect(fitDraft(request)).rejects.toMatchObject({ info: { code: 'model/context-overflow' } })
    await overflow(fakeFitRequest(prose(10), { outputTokens: 4096 }))
    await overflow(fakeFitRequest(prose(10), { outputTokens: 0 }))
    await overflow(fakeFitRequest('', { details: { setting: '設'.repeat(5000) } }))
    await overflow(fakeFitRequest(prose(10), { mode: 'idea', details: { plot: '起'.repeat(5000) } }))
    await overflow(
      fakeFitRequest(prose(500), { settings: { fitMode: 'anchored' }, details: { plot: '起'.repeat(5000) } }),
    )
    await overflow(fakeFitRequest(prose(500), { settings: { fitMode: 'char_trim', maxBodyChars: 4000 } }))
  })

  it('is refused when nobody knows the context window', async () => {
    const request = fakeFitRequest(prose(10), { contextTokens: undefined })
    await expect(fitDraft(request)).rejects.toMatchObject({ info: { code: 'model/context-unknown' } })
    expect(request.asked).toEqual([])
  })

  it('warns of a body that is cut to less than half and under 2,500 characters', async () => {
    expect(await fitDraft(fakeFitRequest(prose(500), { contextTokens: 2500 }))).toMatchObject({
      isShortened: true,
    })
    expect(await fitDraft(fakeFitRequest(prose(500), { contextTokens: 4096 }))).toMatchObject({
      isShortened: false,
    })
  })

  it('is trimmed to so many code points, without splitting a pair', async () => {
    const request = fakeFitRequest('𠮷'.repeat(9000), {
      countText: countCodePoints,
      settings: { fitMode: 'char_trim', maxBodyChars: 1001 },
    })
    const fitted = await fitDraft(request)
    expect(fitted.prompt.suffix).toBe('𠮷'.repeat(1001))
  })
})

describe('a counter that cannot tell 50,000 tokens', () => {
  it('takes 0 for too many and asks at most six times', async () => {
    const request = fakeFitRequest(prose(20_000), { countText: capped, contextTokens: 8192 })
    const fitted = await fitDraft(request)
    expect(fitted.totalTokens).toBeLessThanOrEqual(7692)
    expect(fitted.totalTokens).toBeGreaterThan(7692 - 81)
    expect(fitted.requestCount).toBeLessThanOrEqual(6)
    expect(request.asked).toHaveLength(fitted.requestCount)
  })

  it('never answers: nothing is sent', async () => {
    const request = fakeFitRequest(prose(50), { countText: () => 0 })
    await expect(fitDraft(request)).rejects.toMatchObject({ info: { code: 'tokens/unreachable' } })
  })

  it('sums pieces under its limit where there is room for more', async () => {
    const request = fakeFitRequest(prose(20_000), { countText: capped, contextTokens: 131_072 })
    const fitted = await fitDraft(request)
    const exact = Math.ceil(countCodePoints(joinParts(fitted.prompt.parts)) * 0.8)
    expect(fitted.totalTokens).toBeGreaterThanOrEqual(exact)
    expect(fitted.totalTokens).toBeLessThan(exact + 40)
    expect(fitted.totalTokens).toBeGreaterThan(130_572 - 120)
    expect(fitted.totalTokens).toBeLessThanOrEqual(130_572)
    for (const text of request.asked) {
      if (capped(text) > 0) expect(capped(text)).toBeLessThan(45_000)
    }
  })

  it('sends the whole of a text that fits only by its pieces', async () => {
    const request = fakeFitRequest(prose(5000), { countText: capped, contextTokens: 131_072 })
    const fitted = await fitDraft(request)
    expect(fitted.keptChars).toBe(fitted.bodyChars)
    expect(fitted.totalTokens).toBeGreaterThan(68_000)
  })
})

describe('an estimate', () => {
  it('is labelled and has a margin of ten per cent', async () => {
    const exact = await fitDraft(fakeFitRequest(prose(100)))
    const estimated = await fitDraft(fakeFitRequest(prose(100), { isEstimate: true }))
    expect(estimated.isEstimate).toBe(true)
    expect(estimated.totalTokens).toBe(Math.ceil(exact.totalTokens * 1.1))
  })
})

describe('the next page', () => {
  it('counts only the cut and the one before it', async () => {
    const options = { countText: capped, contextTokens: 8192 }
    const first = await fitDraft(fakeFitRequest(prose(20_000), options))
    if (first.cache === undefined) throw new Error('no cache')
    const request = fakeFitRequest(prose(20_040), options)
    const second = await fitDraft({ ...request, cache: first.cache })
    expect(second.requestCount).toBe(2)
    expect(second.totalTokens).toBe(capped(joinParts(second.prompt.parts)))
    expect(Math.max(...request.asked.map(capped))).toBeGreaterThan(second.availableTokens)
  })

  it('does not trust what it knows of another text', async () => {
    const options = { countText: capped, contextTokens: 8192 }
    const first = await fitDraft(fakeFitRequest(prose(20_000), options))
    if (first.cache === undefined) throw new Error('no cache')
    const other = fakeFitRequest(`別${prose(20_000)}`, options)
    const second = await fitDraft({ ...other, cache: first.cache })
    expect(second.requestCount).toBeGreaterThan(2)
  })

  it('still sends the whole when the cached rate was too dark', async () => {
    const cache = {
      body: prose(300),
      restChars: 100,
      tokensPerChar: 2,
      restTokens: 100,
      kept: { chars: 5100, tokens: 5000 },
    }
    const fitted = await fitDraft({ ...fakeFitRequest(prose(200), { contextTokens: 8192 }), cache })
    expect(fitted.keptChars).toBe(fitted.bodyChars)
  })
})

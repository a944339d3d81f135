import { describe, expect, it } from 'vitest'
import { fixturePreview } from '../../../../../tests/fakes/window-host/fixtures.ts'
import type { RunFigures } from '../../../../shared/domain/drafting/run.ts'
import { anchorOffer } from './anchor-offer.ts'

const page = (reusedTokens: number | null): RunFigures => ({
  promptTokens: 4000,
  reusedTokens,
  isReuseEstimated: false,
  completionTokens: 500,
  maxTokens: 500,
  tokensPerSecond: 40,
  elapsedMs: 1000,
})
const preview = {
  ...fixturePreview,
  problem: null,
  keptChars: 4000,
  bodyChars: 12_000,
  tokensByOrigin: { body: 3400, note: 50, tail: 300, suffix: 50, wrapper: 10 },
}
const given = {
  pages: [page(100), page(300)],
  preview,
  fitMode: 'token_dynamic',
} as const

describe('the offer of a held beginning', () => {
  it('says what two pages read anew, and what they would', () => {
    expect(anchorOffer(given)).toEqual({ readTokens: 3800, anchoredTokens: 900 })
  })

  it.each([
    ['only one page was read anew', { pages: [page(3900), page(100)] }],
    ['there was only one page', { pages: [page(100)] }],
    ['nobody has counted', { pages: [page(null), page(null)] }],
    ['the whole text fits', { preview: { ...preview, keptChars: 12_000 } }],
    ['the beginning is held already', { fitMode: 'anchored' as const }],
    ['the host finds the mode that suits the server', { fitMode: 'auto' as const }],
    ['the server shifts its cache', { pages: [page(3600), page(3700)] }],
  ])('is not made where %s', (_, change) => {
    expect(anchorOffer({ ...given, ...change })).toBeNull()
  })
})

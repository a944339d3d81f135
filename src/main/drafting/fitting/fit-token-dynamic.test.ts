import { describe, expect, it } from 'vitest'
import { fakeFitRequest, seededRandom } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { countCodePoints } from '../../../shared/text/code-points.ts'
import { buildPrompt, joinParts } from '../prompt/build-prompt.ts'
import type { FitRequest } from './body-room.ts'
import { fitDraft } from './fit-draft.ts'
import { type CutRow, findFirstFit } from './fit-token-dynamic.ts'

/** The seed's own search: every cut from the estimated start on, in steps, counted one by one. */
function linearCut(request: FitRequest, countText: (text: string) => number) {
  const body = [...request.draft.body]
  const available = (request.contextTokens ?? 0) - request.outputTokens
  const total = (cut: number) =>
    countText(joinParts(buildPrompt(request.frame, body.slice(cut).join('')).parts))
  const whole = total(0)
  if (whole <= available) return { cut: 0, tokens: whole, isMonotone: true }
  const bodyTokens = countText(request.draft.body)
  const room = available - (whole - bodyTokens)
  if (room <= 0) return { cut: undefined, tokens: whole, isMonotone: true }
  const start = Math.max(
    0,
    body.length - Math.trunc(room / (bodyTokens / body.length)) - request.settings.offsetChars,
  )
  const totals: number[] = []
  for (let cut = start; cut < body.length; cut += request.settings.stepChars) totals.push(total(cut))
  const found = totals.findIndex((tokens) => tokens <= available)
  const isMonotone = totals.every((tokens, i) => totals.slice(i).every((later) => later <= tokens + 4))
  if (found < 0) return { cut: undefined, tokens: Math.min(...totals), isMonotone }
  return { cut: start + found * request.settings.stepChars, tokens: totals[found], isMonotone }
}

const tokenizers: Record<string, (text: string) => number> = {
  len: countCodePoints,
  dense: (text) => Math.ceil(countCodePoints(text) * 1.3),
  thin: (text) => 1 + Math.ceil(countCodePoints(text) * 0.31),
  lines: (text) => countCodePoints(text) + 20 * (text.split('\n').length - 1),
  uneven: (text) => countCodePoints(text) + 2 * (text.match(/[ァ-ヶ]/g)?.length ?? 0),
  // Counts up to three less or more for no reason that the search could know: within ε.
  wobbling: (text) => countCodePoints(text) + ((text.length * 7919 + text.charCodeAt(40)) % 4),
}

function randomProse(next: () => number, length: number): string {
  const pieces: string[] = []
  for (let chars = 0; chars < length; ) {
    const kind = next()
    const piece =
      kind < 0.12
        ? '\n'
        : kind < 0.2
          ? 'カタカナ'.repeat(1 + Math.floor(next() * 6))
          : kind < 0.24
            ? '𠮷👨‍👩‍👧'
            : kind < 0.32
              ? 'some words '
              : `${'あいうえお漢字'.repeat(1 + Math.floor(next() * 5))}。`
    pieces.push(piece)
    chars += piece.length
  }
  return pieces.join('') + '\n'.repeat(next() < 0.1 ? Math.floor(next() * 200) : 0)
}

/** `TSUGI_SOAK` plays more texts. */
const texts = process.env.TSUGI_SOAK === undefined ? 24 : 600

describe('fitting by tokens', () => {
  for (const [name, countText] of Object.entries(tokenizers)) {
    it(`cuts where the seed's linear search cuts (${name})`, async () => {
      let compared = 0
      for (let seed = 0; seed < texts; seed++) {
        const next = seededRandom(seed * 31 + name.length)
        const request = fakeFitRequest(randomProse(next, 50 + Math.floor(next() * 6000)), {
          countText,
          contextTokens: 200 + Math.floor(next() * 4000),
          outputTokens: 100,
          details:
            next() < 0.5 ? { setting: '設定'.repeat(Math.floor(next() * 60)), authorsNote: 'メモ' } : {},
          settings: {
            stepChars: next() < 0.3 ? 1 + Math.floor(next() * 9) : 20 + Math.floor(next() * 400),
            offsetChars: [0, 150, 4000][Math.floor(next() * 3)] ?? 0,
          },
        })
        const wanted = linearCut(request, countText)
        const fitted = await fitDraft(request).catch((error: unknown) => ({ error }))
        if ('error' in fitted) {
          expect(fitted.error).toMatchObject({ info: { code: 'model/context-overflow' } })
          if (wanted.isMonotone) expect(wanted.cut).toBeUndefined()
          continue
        }
        expect(fitted.totalTokens).toBe(countText(joinParts(fitted.prompt.parts)))
        expect(fitted.totalTokens).toBeLessThanOrEqual(fitted.availableTokens)
        expect(joinParts(fitted.prompt.parts).isWellFormed()).toBe(true)
        if (!wanted.isMonotone) continue
        compared++
        expect(fitted.bodyChars - fitted.keptChars).toBe(wanted.cut)
      }
      expect(compared).toBeGreaterThan(texts / 3)
    })
  }
})

function rowOf(totals: readonly number[], options: Partial<CutRow> = {}): CutRow & { probed: number[] } {
  const probed: number[] = []
  return {
    last: totals.length - 1,
    availableTokens: 100,
    guess: 0,
    tokensPerCut: () => 10,
    probe: async (cut) => {
      probed.push(cut)
      return totals[cut] ?? Number.NaN
    },
    ...options,
    probed,
  }
}

describe('the first fit', () => {
  it('needs two counts where the guess is right, three where it is one off', async () => {
    const totals = [150, 140, 130, 120, 110, 99, 90, 80]
    const right = rowOf(totals, { guess: 5 })
    expect((await findFirstFit(right)).fit).toEqual({ cut: 5, tokens: 99 })
    expect(right.probed).toEqual([5, 4])
    const oneOff = rowOf(totals, { guess: 3 })
    expect((await findFirstFit(oneOff)).fit).toEqual({ cut: 5, tokens: 99 })
    expect(oneOff.probed).toEqual([3, 5, 4])
  })

  it('looks behind a predecessor that is only a little too long', async () => {
    const found = await findFirstFit(rowOf([130, 120, 99, 101, 98, 97, 96], { guess: 4 }))
    expect(found.fit).toEqual({ cut: 2, tokens: 99 })
  })

  it('is the first cut where even that fits, and absent where none does', async () => {
    expect((await findFirstFit(rowOf([90, 80, 70], { guess: 2 }))).fit?.cut).toBe(0)
    expect(await findFirstFit(rowOf([130, 120, 110], { guess: 0 }))).toEqual({ smallestTokens: 110 })
  })

  it('finds its way past counts that cannot be told', async () => {
    const totals = Array.from({ length: 900 }, (_, i) => (i < 700 ? Number.POSITIVE_INFINITY : 1000 - i))
    expect((await findFirstFit(rowOf(totals, { availableTokens: 200 }))).fit?.cut).toBe(800)
    const wall = Array.from({ length: 900 }, (_, i) => (i < 700 ? Number.POSITIVE_INFINITY : 50))
    expect((await findFirstFit(rowOf(wall))).fit?.cut).toBe(700)
  })

  it('is the one that a linear search finds, as long as no earlier cut counts over 4 below a later one', async () => {
    for (let seed = 0; seed < 400; seed++) {
      const next = seededRandom(seed)
      const slope = 0.2 + next() * 30
      const totals = Array.from({ length: 1 + Math.floor(next() * 80) }, (_, i) =>
        Math.floor(400 - i * slope + next() * 4),
      )
      const row = rowOf(totals, {
        availableTokens: 380 - Math.floor(next() * 300),
        guess: Math.floor(next() * 100),
        tokensPerCut: () => slope * (0.5 + next()),
      })
      const wanted = totals.findIndex((tokens) => tokens <= row.availableTokens)
      const found = await findFirstFit(row)
      expect(found.fit?.cut ?? -1).toBe(wanted)
      expect(new Set(row.probed).size).toBe(row.probed.length)
    }
  })
})

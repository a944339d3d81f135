import { describe, expect, it } from 'vitest'
import { fakeFitRequest } from '../../../../tests/fakes/rigs/fake-draft.ts'
import { joinParts } from '../prompt/build-prompt.ts'
import type { FittedPrompt } from './body-room.ts'
import { fitDraft } from './fit-draft.ts'

const paragraph = (i: number) => `　第${i}の段落である。それは長い夜のはじまりであった。\n`
const page = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => paragraph(from + i)).join('')
const options = { settings: { fitMode: 'anchored' as const }, contextTokens: 4096 }

/** How much of a prompt the next one repeats from its beginning. */
function sharedHead(before: FittedPrompt, after: FittedPrompt): number {
  const [a, b] = [joinParts(before.prompt.parts), joinParts(after.prompt.parts)]
  let shared = 0
  while (shared < a.length && a[shared] === b[shared]) shared++
  return shared
}

describe('an anchored body', () => {
  it('keeps its beginning from page to page until the prompt no longer fits, then moves once', async () => {
    let moves = 0
    let last: FittedPrompt | undefined
    for (let paragraphs = 20; paragraphs < 400; paragraphs += 10) {
      const request = fakeFitRequest(page(0, paragraphs), options)
      const fitted = await fitDraft({ ...request, ...(last?.anchor ? { anchor: last.anchor } : {}) })
      expect(fitted.totalTokens).toBeLessThanOrEqual(fitted.availableTokens)
      if (last !== undefined && fitted.anchor?.fromChars === last.anchor?.fromChars) {
        const main = last.prompt.parts.find((part) => part.origin === 'body')?.text ?? ''
        expect(sharedHead(last, fitted)).toBeGreaterThan(main.length - 10)
        expect(fitted.requestCount).toBe(1)
      } else if (last !== undefined) {
        moves++
        expect(fitted.totalTokens / fitted.availableTokens).toBeGreaterThan(0.6)
        expect(fitted.totalTokens / fitted.availableTokens).toBeLessThan(0.75)
        expect(fitted.anchor?.headText).toMatch(/^　第\d+の段落/)
      }
      last = fitted
    }
    expect(moves).toBeGreaterThan(2)
    expect(moves).toBeLessThan(12)
  })

  it('leaves a moved body as much room as the goal of a page allows, with what the move adds to the head', async () => {
    const request = fakeFitRequest(page(0, 300), options)
    const fitWith = (recentTokens: number, addedTokens = 0) =>
      fitDraft({ ...request, memory: { addedTokens, recentTokens } })
    const plain = await fitDraft(request)
    const free = await fitWith(0)
    expect(plain.recentTokens).toBeUndefined()
    expect(free.recentTokens).toBe(0)
    expect(free.keptChars).toBeLessThanOrEqual(plain.keptChars)
    const full = await fitWith(600)
    expect(full.recentTokens).toBeLessThanOrEqual(600)
    expect(full.keptChars).toBeLessThan(free.keptChars)
    expect((await fitWith(600, 1_000)).keptChars).toBeLessThan(full.keptChars)
    const next = fakeFitRequest(page(0, 310), options)
    const held = await fitDraft({
      ...next,
      memory: { addedTokens: 0, recentTokens: 600 },
      ...(full.anchor && { anchor: full.anchor }),
    })
    expect(held.anchor?.fromChars).toBe(full.anchor?.fromChars)
    expect(held.recentTokens).toBeUndefined()
  })

  it('begins after a scene break when one is near', async () => {
    const body = page(0, 110) + page(110, 140).replace(/(　第12\d)/, '\n＊＊＊\n\n$1') + page(140, 200)
    const target = await fitDraft(fakeFitRequest(page(0, 200), options))
    const fitted = await fitDraft(fakeFitRequest(body, options))
    expect(target.anchor?.headText).toContain('第1')
    expect(fitted.anchor?.headText).toMatch(/^　第12\d/)
    const at = [...body].slice(0, fitted.anchor?.fromChars).join('')
    expect(at.endsWith('\n＊＊＊\n\n')).toBe(true)
  })

  it('begins within a paragraph that is longer than the prompt, not behind it', async () => {
    const long = page(0, 600).replaceAll('\n', '')
    const fitted = await fitDraft(fakeFitRequest(`${long}\n　雨。\n　風。\n`, options))
    expect(fitted.totalTokens / fitted.availableTokens).toBeGreaterThan(0.6)
    expect(fitted.keptChars).toBeGreaterThan(2_000)
  })

  it('is found again when the text before it was changed', async () => {
    const first = await fitDraft(fakeFitRequest(page(0, 300), options))
    const edited = fakeFitRequest(`新しい序章。\n${page(0, 302)}`, options)
    const second = await fitDraft({ ...edited, ...(first.anchor ? { anchor: first.anchor } : {}) })
    expect(second.anchor?.headText).toBe(first.anchor?.headText)
    expect(second.anchor?.fromChars).toBe((first.anchor?.fromChars ?? 0) + 7)
  })

  it('moves back when what it keeps has become little', async () => {
    const first = await fitDraft(fakeFitRequest(page(0, 300), options))
    const shortened = fakeFitRequest(page(0, 210), options)
    const second = await fitDraft({ ...shortened, ...(first.anchor ? { anchor: first.anchor } : {}) })
    expect(second.anchor?.fromChars).toBeLessThan(first.anchor?.fromChars ?? 0)
    expect(second.totalTokens / second.availableTokens).toBeGreaterThan(0.6)
  })

  it('holds the rolls of what was sent before the tail', async () => {
    const body = `{赤い|青い}空。\n${page(0, 10)}{走る|歩く}人。\n`
    const fitted = await fitDraft(
      fakeFitRequest(body, { ...options, details: { title: '{題|名}', authorsNote: '{甲|乙}' } }),
    )
    expect(fitted.anchor?.held.map(({ field, value }) => [field, value])).toEqual([
      ['title', '題'],
      ['body', '赤い'],
    ])
  })

  it('is left alone by ideas', async () => {
    const fitted = await fitDraft(fakeFitRequest(page(0, 300), { ...options, mode: 'idea' }))
    expect(fitted.anchor).toBeUndefined()
  })
})

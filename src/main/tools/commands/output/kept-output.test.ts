import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../tests/fakes/seeded-random.ts'
import { createKeptOutput } from './kept-output.ts'

describe('keeping output', () => {
  it('gives back what fits, in pieces that end between characters', () => {
    const kept = createKeptOutput(10_000)
    const text = 'あいう😀abc\n'.repeat(200)
    for (const part of text.match(/.{1,7}/gsu) ?? []) kept.append(part)
    expect(kept.read(0)).toEqual({ text, nextBytes: Buffer.byteLength(text), skippedBytes: 0 })
    expect(kept.isCut).toBe(false)
    let read = ''
    let at = 0
    for (;;) {
      const part = kept.read(at, 5)
      if (part.text === '') break
      expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(5)
      read += part.text
      at = part.nextBytes
    }
    expect(read).toBe(text)
  })

  it('keeps the beginning and the end of what does not fit, and says how much is missing', () => {
    const kept = createKeptOutput(1000)
    for (let line = 0; line < 10_000; line++) kept.append(`${line} 行\n`)
    const { text, nextBytes, skippedBytes } = kept.read(0)
    expect(kept.isCut).toBe(true)
    expect(nextBytes).toBe(kept.totalBytes)
    expect(text).toMatch(/^0 行\n1 行\n/)
    expect(text).toMatch(/9998 行\n9999 行\n$/)
    const [mark, missing] = /\n\[… (\d+) bytes …\]\n/.exec(text) ?? []
    expect(Number(missing)).toBe(skippedBytes)
    expect(Buffer.byteLength(text.replace(mark ?? '', ''))).toBeLessThanOrEqual(1000)
    expect(text).not.toContain('\ufffd')
  })

  it('reads on from an offset, also from one in the gap or in a character', () => {
    const kept = createKeptOutput(640)
    kept.append('あ'.repeat(10_000))
    expect(kept.read(29_997)).toEqual({ text: 'あ', nextBytes: 30_000, skippedBytes: 0 })
    expect(kept.read(29_998).text).toBe('')
    expect(kept.read(30_000)).toEqual({ text: '', nextBytes: 30_000, skippedBytes: 0 })
    expect(kept.read(99_999_999).nextBytes).toBe(30_000)
    const gap = kept.read(10_000)
    expect(gap.skippedBytes).toBeGreaterThan(19_000)
    expect(gap.text).toMatch(/^\n\[… \d+ bytes …\]\nあ+$/)
  })

  it('holds to its bound and its count for any pieces', () => {
    const random = seededRandom(3)
    for (let round = 0; round < 50; round++) {
      const kept = createKeptOutput(512)
      let all = ''
      for (let piece = 0; piece < 20; piece++) {
        const text = 'xé字😀'.repeat(Math.floor(random() * 20))
        kept.append(text)
        all += text
      }
      const { text, skippedBytes } = kept.read(0)
      expect(kept.totalBytes).toBe(Buffer.byteLength(all))
      const [head = '', tail = ''] = text.split(/\n\[… \d+ bytes …\]\n/)
      expect(all.startsWith(head) && all.endsWith(tail)).toBe(true)
      expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(512)
      expect(skippedBytes > 0).toBe(kept.isCut)
    }
  })
})

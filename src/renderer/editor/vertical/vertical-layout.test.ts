import { Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { chunkAt, chunksOf, chunksWithin, columnsBefore } from './vertical-layout.ts'

const lines = Array.from({ length: 400 }, (_, i) => '雨'.repeat((i * 7) % 90))
const doc = Text.of(lines)

describe('the chunks of a vertical page', () => {
  it('are all of the text, cut at line ends, with the columns that its lines fill', () => {
    const chunks = chunksOf(doc, 40)
    expect(chunks.length).toBeGreaterThan(5)
    expect(chunks.map(({ from, to }) => doc.sliceString(from, to)).join('\n')).toBe(doc.toString())
    const columns = lines.reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / 40)), 0)
    expect(columnsBefore(chunks, chunks.length)).toBe(columns)
    expect(chunksOf(Text.empty, 40)).toEqual([{ from: 0, to: 0, columns: 1, isMeasured: false }])
  })

  it.each([1, 2, 3])('keep what was measured before an edit (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const known = chunksOf(doc, 40).map((chunk) => ({ ...chunk, columns: 99, isMeasured: true }))
    const at = Math.floor(random() * doc.length)
    const edited = doc.replace(at, at, Text.of(['風', '風']))
    const chunks = chunksOf(edited, 40, known, at)
    expect(chunks.map(({ from, to }) => edited.sliceString(from, to)).join('\n')).toBe(edited.toString())
    expect(chunks.filter(({ isMeasured }) => isMeasured)).toEqual(known.filter(({ to }) => to < at))
  })

  it('are found by column and by position', () => {
    const chunks = chunksOf(doc, 40)
    const third = columnsBefore(chunks, 2)
    expect(chunksWithin(chunks, third, third + 1)).toEqual({ from: 2, to: 3 })
    expect(chunksWithin(chunks, third - 1, third + 1)).toEqual({ from: 1, to: 3 })
    expect(chunksWithin(chunks, 0, 1e9)).toEqual({ from: 0, to: chunks.length })
    expect(chunkAt(chunks, chunks[2]?.from ?? -1)).toBe(2)
    expect(chunkAt(chunks, doc.length)).toBe(chunks.length - 1)
  })
})

import { describe, expect, it } from 'vitest'
import { chainedHunks, rebaseHunks } from './chained-hunks.ts'
import { applyHunks, diffHunks } from './hunks.ts'

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')
const base = text('a', 'b', 'c', 'd', 'e', 'f')

describe('the places of a file that several changes have made', () => {
  it('are those of each change, where they are apart', () => {
    const first = text('a', 'B', 'c', 'd', 'e', 'f')
    const last = text('a', 'B', 'c', 'd', 'E', 'new', 'f')
    expect(chainedHunks([base, first, last])).toEqual([
      {
        index: 0,
        oldFrom: 2,
        oldLines: ['b\n'],
        newFrom: 2,
        newLines: ['B\n'],
        parts: [{ step: 0, hunk: 0 }],
      },
      {
        index: 1,
        oldFrom: 5,
        oldLines: ['e\n'],
        newFrom: 5,
        newLines: ['E\n', 'new\n'],
        parts: [{ step: 1, hunk: 0 }],
      },
    ])
  })

  it('are one place where a change stands on another, or touches it', () => {
    const first = text('a', 'B', 'B2', 'c', 'd', 'e', 'f')
    const last = text('a', 'B', 'B3', 'C', 'd', 'e', 'f')
    expect(chainedHunks([base, first, last])).toMatchObject([
      {
        oldFrom: 2,
        oldLines: ['b\n', 'c\n'],
        newLines: ['B\n', 'B3\n', 'C\n'],
        parts: [
          { step: 0, hunk: 0 },
          { step: 1, hunk: 0 },
        ],
      },
    ])
  })

  it('are none where a change was taken back, and those of a new file are one', () => {
    expect(chainedHunks([base, text('a', 'B', 'c', 'd', 'e', 'f'), base])).toEqual([])
    expect(chainedHunks(['', text('x'), text('x', 'y')])).toMatchObject([{ newLines: ['x\n', 'y\n'] }])
  })

  it('make the last text of the first, whatever the changes were', () => {
    let seed = 7
    const draw = (count: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % count
    }
    for (let round = 0; round < 300; round += 1) {
      const texts = [Array.from({ length: draw(9) }, () => `${draw(4)}\n`).join('')]
      for (let step = 0; step < 3; step += 1) {
        const lines = (texts.at(-1) ?? '').match(/[^\n]*\n/g) ?? []
        lines.splice(
          draw(lines.length + 1),
          draw(3),
          ...Array.from({ length: draw(3) }, () => `${draw(4)}\n`),
        )
        texts.push(lines.join(''))
      }
      const lines = (texts[0] ?? '').match(/[^\n]*\n/g) ?? []
      for (const hunk of chainedHunks(texts).toReversed()) {
        expect(lines.slice(hunk.oldFrom - 1, hunk.oldFrom - 1 + hunk.oldLines.length)).toEqual(hunk.oldLines)
        lines.splice(hunk.oldFrom - 1, hunk.oldLines.length, ...hunk.newLines)
      }
      expect(lines.join('')).toBe(texts.at(-1))
    }
  })
})

describe('a change made on what was left of the one before it', () => {
  const first = text('A', 'b', 'C', 'd', 'e', 'f')
  const last = text('A', 'b', 'C', 'd', 'E', 'f')

  it('is the same change', () => {
    const kept = applyHunks(base, first, new Set([0]))
    expect(rebaseHunks({ baseText: first, newText: last }, kept, new Set())).toBe(
      text('a', 'b', 'C', 'd', 'E', 'f'),
    )
  })

  it('leaves out what was refused of it, and is none where it stands on what was refused', () => {
    const more = text('AA', 'b', 'C', 'd', 'E', 'f')
    expect(diffHunks(first, more)).toHaveLength(2)
    expect(rebaseHunks({ baseText: first, newText: more }, base, new Set([0]))).toBe(
      text('a', 'b', 'c', 'd', 'E', 'f'),
    )
    expect(rebaseHunks({ baseText: first, newText: more }, base, new Set())).toBeNull()
  })

  it('is made in a text of very many lines, too', () => {
    const many = 'line\n'.repeat(150_000)
    const baseText = `first\n${many}end\n`
    const made = rebaseHunks({ baseText, newText: `first\n${many}END\n` }, `FIRST\n${many}end\n`, new Set())
    expect(made === `FIRST\n${many}END\n`).toBe(true)
  })
})

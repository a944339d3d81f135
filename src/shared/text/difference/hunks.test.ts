import { describe, expect, it } from 'vitest'
import { applyHunks, diffHunks } from './hunks.ts'

/** A small random generator with a seed, so that a failure can be repeated. */
function dice(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

function randomText(roll: (limit: number) => number): string {
  const words = ['', 'a', 'b', 'same', '}', '\t', '次', 'a\rb']
  const ends = ['\n', '\n', '\r\n']
  const lines = Array.from({ length: roll(12) }, () => `${words[roll(words.length)]}${ends[roll(3)]}`)
  return lines.join('') + (roll(2) === 0 ? (words[roll(words.length)] ?? '') : '')
}

describe('hunks', () => {
  it('are the places where two texts differ', () => {
    expect(diffHunks('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n')).toEqual([
      { index: 0, oldFrom: 2, oldLines: ['b\n'], newFrom: 2, newLines: ['B\n'] },
      { index: 1, oldFrom: 5, oldLines: [], newFrom: 5, newLines: ['e\n'] },
    ])
  })

  it('are none for equal texts, and one for a text that is new or gone', () => {
    expect(diffHunks('a\n', 'a\n')).toEqual([])
    expect(diffHunks('', '')).toEqual([])
    expect(diffHunks('', 'a\nb')).toEqual([
      { index: 0, oldFrom: 1, oldLines: [], newFrom: 1, newLines: ['a\n', 'b'] },
    ])
    expect(diffHunks('a\r\n', '')).toEqual([
      { index: 0, oldFrom: 1, oldLines: ['a\r\n'], newFrom: 1, newLines: [] },
    ])
  })

  it('tell line ends apart, also a missing one', () => {
    expect(diffHunks('a\r\nb\n', 'a\nb\n')).toHaveLength(1)
    expect(diffHunks('a', 'a\n')).toEqual([
      { index: 0, oldFrom: 1, oldLines: ['a'], newFrom: 1, newLines: ['a\n'] },
    ])
    expect(applyHunks('a\r\nb\r\nc', 'A\r\nb\r\nc\r\n', new Set([1]))).toBe('A\r\nb\r\nc')
  })

  it('give the new text, the old one, or a mixture with exactly the refused places as they were', () => {
    const roll = dice(20_261_122)
    for (let round = 0; round < 3_000; round++) {
      const [oldText, newText] = [randomText(roll), randomText(roll)]
      const hunks = diffHunks(oldText, newText)
      const all = new Set(hunks.map(({ index }) => index))
      expect(hunks.map(({ index }) => index)).toEqual(hunks.map((_, index) => index))
      expect(applyHunks(oldText, newText, new Set())).toBe(newText)
      expect(applyHunks(oldText, newText, all)).toBe(oldText)
      const refused = new Set([...all].filter(() => roll(2) === 0))
      const mixed = applyHunks(oldText, newText, refused)
      // From the old text's side: the hunks that are left, put in by line number.
      const lines = oldText.match(/[^\n]*\n|[^\n]+$/g) ?? []
      for (const hunk of hunks.filter(({ index }) => !refused.has(index)).reverse())
        lines.splice(hunk.oldFrom - 1, hunk.oldLines.length, ...hunk.newLines)
      expect(mixed).toBe(lines.join(''))
    }
  })

  it('name lines that are there, by number', () => {
    const roll = dice(7)
    for (let round = 0; round < 500; round++) {
      const [oldText, newText] = [randomText(roll), randomText(roll)]
      const oldLines = oldText.match(/[^\n]*\n|[^\n]+$/g) ?? []
      const newLines = newText.match(/[^\n]*\n|[^\n]+$/g) ?? []
      for (const hunk of diffHunks(oldText, newText)) {
        const { oldFrom, newFrom } = hunk
        expect(oldLines.slice(oldFrom - 1, oldFrom - 1 + hunk.oldLines.length)).toEqual(hunk.oldLines)
        expect(newLines.slice(newFrom - 1, newFrom - 1 + hunk.newLines.length)).toEqual(hunk.newLines)
        expect(hunk.oldLines.length + hunk.newLines.length).toBeGreaterThan(0)
      }
    }
  })

  it('are one for a long text that was written anew, whose ends stay out of it', () => {
    const long = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('')
    const oldText = `first\n${long('old')}last\n`
    const newText = `first\n${long('new')}last\n`
    const [hunk, ...others] = diffHunks(oldText, newText)
    expect(others).toEqual([])
    expect(hunk).toMatchObject({ oldFrom: 2, newFrom: 2 })
    expect(applyHunks(oldText, newText, new Set([0]))).toBe(oldText)
  })

  it('are found singly in a long text with few changes', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`)
    const changed = lines.map((line, index) => (index % 500 === 3 ? `changed ${line}` : line))
    const hunks = diffHunks(lines.join(''), changed.join(''))
    expect(hunks).toHaveLength(100)
    expect(hunks[1]).toMatchObject({ oldFrom: 504, newFrom: 504, oldLines: ['line 503\n'] })
  })

  it('are refused in a text of very many lines, too', () => {
    const many = 'line\n'.repeat(150_000)
    expect(applyHunks(many, 'x\n', new Set([0])) === many).toBe(true)
  })
})

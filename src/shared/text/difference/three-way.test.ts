import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { type Chunk, mergedText, openChanges, type Side, threeWayChunks } from './three-way.ts'

const undecided: ReadonlyMap<number, Side> = new Map()

function changesOf(chunks: readonly Chunk[]) {
  return chunks.filter((chunk) => chunk.kind === 'change')
}

function all(chunks: readonly Chunk[], side: Side): Map<number, Side> {
  return new Map(changesOf(chunks).map(({ index }) => [index, side]))
}

describe('a three-way comparison', () => {
  it('merges by itself what only one side changed', () => {
    const base = '一\n二\n三\n四\n五\n'
    const chunks = threeWayChunks(base, '一\n二\n三\n四\nご\n', 'いち\n二\n三\n四\n五\n')
    expect(changesOf(chunks).map(({ side }) => side)).toEqual(['current', 'speculated'])
    expect(openChanges(chunks, undecided)).toEqual([])
    expect(mergedText(chunks, undecided)).toBe('いち\n二\n三\n四\nご\n')
  })

  it('asks where both changed a line to something different, and takes the answer', () => {
    const chunks = threeWayChunks('a\nb\nc\nd\n', 'a\nB1\nc\nd\n', 'a\nB2\nc\nd\ne\n')
    expect(openChanges(chunks, undecided)).toEqual([0])
    expect(mergedText(chunks, undecided)).toBeNull()
    const result = (side: Side): string | null => mergedText(chunks, new Map([[0, side]]))
    expect(result('speculated')).toBe('a\nB1\nc\nd\ne\n')
    expect(result('current')).toBe('a\nB2\nc\nd\ne\n')
    expect(result('both')).toBe('a\nB2\nB1\nc\nd\ne\n')
  })

  it('asks where changes touch: neither was made with the other in sight', () => {
    expect(openChanges(threeWayChunks('a\nb\n', 'A\nb\n', 'a\nB\n'), undecided)).toEqual([0])
    expect(openChanges(threeWayChunks('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n'), undecided)).toEqual([])
    // Two lines at one place: their order is not known.
    expect(openChanges(threeWayChunks('a\n', 'a\nx\n', 'a\ny\n'), undecided)).toEqual([0])
  })

  it('asks nothing where both made the same change', () => {
    const chunks = threeWayChunks('a\nb\n', 'a\nB\n', 'a\nB\n')
    expect(mergedText(chunks, undecided)).toBe('a\nB\n')
  })

  it.each([
    ['a file that both made', '', 'x\n', 'y\n', 'y\nx\n'],
    ['a file that both emptied otherwise', 'a\nb\n', '', 'c\n', 'c\n'],
    ['a last line without an end', 'a', 'a1', 'a2', 'a2\na1'],
    ['a last line without an end in CRLF', 'x\r\na', 'x\r\na1', 'x\r\na2', 'x\r\na2\r\na1'],
    ['line ends that one side changed', 'a\r\nb\r\n', 'A\r\nb\r\n', 'a\nb\n', 'a\nb\nA\r\nb\r\n'],
  ])('puts both texts one below the other: %s', (_name, base, speculated, current, both) => {
    const chunks = threeWayChunks(base, speculated, current)
    expect(openChanges(chunks, undecided)).toEqual([0])
    expect(mergedText(chunks, all(chunks, 'both'))).toBe(both)
  })

  it('knows empty texts', () => {
    expect(threeWayChunks('', '', '')).toEqual([])
    expect(mergedText([], undecided)).toBe('')
    expect(mergedText(threeWayChunks('a\n', '', 'a\n'), undecided)).toBe('')
  })
})

describe('random texts', () => {
  const random = seededRandom(6)
  const pick = (limit: number): number => Math.floor(random() * limit)
  const words = ['あ', 'い', 'a', 'b', '', 'long line', 'x\r']
  const someLines = (): string[] => Array.from({ length: pick(12) }, () => words[pick(words.length)] ?? '')
  const asText = (lines: readonly string[]): string =>
    lines.join('\n') + (lines.length > 0 && random() < 0.7 ? '\n' : '')
  const edited = (lines: readonly string[], word: () => string): string[] =>
    lines.flatMap((line) => {
      const roll = random()
      if (roll < 0.15) return []
      if (roll < 0.3) return [word()]
      return roll < 0.45 ? [line, word()] : [line]
    })

  it('need no decision where only one side changed, and give that side', () => {
    for (let round = 0; round < 400; round++) {
      const lines = someLines()
      const base = asText(lines)
      const other = asText(edited(lines, () => words[pick(words.length)] ?? ''))
      expect(mergedText(threeWayChunks(base, other, base), undecided)).toBe(other)
      expect(mergedText(threeWayChunks(base, base, other), undecided)).toBe(other)
      expect(mergedText(threeWayChunks(base, other, other), undecided)).toBe(other)
    }
  })

  it('decided for one side throughout are exactly that side', () => {
    for (let round = 0; round < 400; round++) {
      const [base, speculated, current] = [asText(someLines()), asText(someLines()), asText(someLines())]
      const chunks = threeWayChunks(base, speculated, current)
      expect(mergedText(chunks, all(chunks, 'speculated'))).toBe(speculated)
      expect(mergedText(chunks, all(chunks, 'current'))).toBe(current)
    }
  })

  it('lose no line of both sides, and none that one of them wrote, unless somebody says so', () => {
    let merged = 0
    for (let round = 0; round < 400; round++) {
      let made = 0
      const word = (): string => `new ${made++}`
      const base = Array.from({ length: pick(16) }, (_, at) => `line ${at}`)
      const [one, other] = [edited(base, word), edited(base, word)]
      const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
      const chunks = threeWayChunks(text(base), text(one), text(other))
      const open = openChanges(chunks, undecided)
      const decided = new Map(open.map((index) => [index, 'both' as const]))
      const result = mergedText(chunks, decided)?.split('\n') ?? []
      const wanted = [...one, ...other].filter(
        (line) => line.startsWith('new') || (one.includes(line) && other.includes(line)),
      )
      expect(wanted.filter((line) => !result.includes(line))).toEqual([])
      if (open.length === 0) merged += 1
    }
    expect(merged).toBeGreaterThan(20)
  })
})

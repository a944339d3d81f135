import type { MergedFile, SpeculationConflict } from '../../../shared/domain/session/speculation.ts'
import {
  type Chunk,
  mergedText,
  openChanges,
  type Side,
  threeWayChunks,
} from '../../../shared/text/difference/three-way.ts'

/** The user's decision on a file in conflict: for all of it, or place by place. */
export type ConflictChoice = { whole: 'keep' | 'speculated' | null; sides: ReadonlyMap<number, Side> }

export const noChoice: ConflictChoice = { whole: null, sides: new Map() }

/** Returns the chunks of a file that can be merged from both texts; null: it is accepted or left as a whole. */
export function chunksOf(file: SpeculationConflict): Chunk[] | null {
  const { isText, baseText, currentText, newText } = file
  if (!isText || currentText === null || newText === null || mustStay(file)) return null
  return threeWayChunks(baseText ?? '', newText, currentText)
}

/** Lines of one of the three texts. Units: `from` is the number of the first one, from 1. */
export type NumberedLines = { from: number; lines: readonly string[] }

/** A place to decide. `before` and `after`: lines around it, equal in all texts, numbered as now. */
export type ConflictPlace = {
  index: number
  before: NumberedLines
  after: NumberedLines
  base: NumberedLines
  current: NumberedLines
  speculated: NumberedLines
}

/** Lines that are shown on each side of a place. */
const linesAround = 3

/** Returns the places of a file that wait for a decision, in their order. */
export function conflictPlaces(chunks: readonly Chunk[]): ConflictPlace[] {
  const places: ConflictPlace[] = []
  const at = { base: 1, current: 1, speculated: 1 }
  for (const [number, chunk] of chunks.entries()) {
    const lines = (side: keyof typeof at) => (chunk.kind === 'same' ? chunk.lines : chunk[side])
    const numbered = (side: keyof typeof at): NumberedLines => ({ from: at[side], lines: lines(side) })
    if (chunk.kind === 'change' && chunk.side === null) {
      const before = sameLines(chunks[number - 1]).slice(-linesAround)
      places.push({
        index: chunk.index,
        before: { from: at.current - before.length, lines: before },
        after: {
          from: at.current + chunk.current.length,
          lines: sameLines(chunks[number + 1]).slice(0, linesAround),
        },
        base: numbered('base'),
        current: numbered('current'),
        speculated: numbered('speculated'),
      })
    }
    for (const side of ['base', 'current', 'speculated'] as const) at[side] += lines(side).length
  }
  return places
}

function sameLines(chunk: Chunk | undefined): readonly string[] {
  return chunk?.kind === 'same' ? chunk.lines : []
}

/** True where nothing can be written to the file any more. */
export function mustStay({ why }: SpeculationConflict): boolean {
  return why === 'folder' || why === 'closed' || why === 'elsewhere'
}

/** Returns how many places of a file still wait for a decision. */
export function openPlaces(file: SpeculationConflict, choice: ConflictChoice): number {
  const chunks = chunksOf(file)
  if (chunks !== null) return openChanges(chunks, choice.sides).length
  return choice.whole === null && !mustStay(file) ? 1 : 0
}

/** Returns the file that the choices make; null as long as a place is open. */
export function mergedFile(file: SpeculationConflict, choice: ConflictChoice): MergedFile | null {
  const { path, currentHash } = file
  const chunks = chunksOf(file)
  if (chunks === null) {
    const take = mustStay(file) ? 'keep' : choice.whole
    return take === null ? null : { path, currentHash, take, text: null }
  }
  const text = mergedText(chunks, choice.sides)
  return text === null ? null : { path, currentHash, take: 'text', text }
}

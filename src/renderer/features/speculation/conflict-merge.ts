import type { MergedFile, SpeculationConflict } from '../../../shared/domain/session/speculation.ts'
import {
  type Chunk,
  mergedText,
  openChanges,
  type Side,
  threeWayChunks,
} from '../../../shared/text/difference/three-way.ts'

/** What the user has said to a file in conflict: all of it, or place by place. */
export type ConflictChoice = { whole: 'keep' | 'speculated' | null; sides: ReadonlyMap<number, Side> }

export const noChoice: ConflictChoice = { whole: null, sides: new Map() }

/** Its places, where it can be put together from both; null: it is taken or left as a whole. */
export function chunksOf(file: SpeculationConflict): Chunk[] | null {
  const { isText, baseText, currentText, newText } = file
  if (!isText || currentText === null || newText === null || mustStay(file)) return null
  return threeWayChunks(baseText ?? '', newText, currentText)
}

/** Nothing can be written there any more. */
export function mustStay({ why }: SpeculationConflict): boolean {
  return why === 'folder' || why === 'closed' || why === 'elsewhere'
}

/** How many places of it still wait for a word. */
export function openPlaces(file: SpeculationConflict, choice: ConflictChoice): number {
  const chunks = chunksOf(file)
  if (chunks !== null) return openChanges(chunks, choice.sides).length
  return choice.whole === null && !mustStay(file) ? 1 : 0
}

/** What the choices make of it; null as long as a place is open. */
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

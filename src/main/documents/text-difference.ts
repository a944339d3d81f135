import { ChangeSet, type ChangeSpec, Text } from '@codemirror/state'
import { diffArrays } from 'diff'

/** Beyond this the two texts are different works, and one replacement says it as well. */
const limitEdits = 1_000

/**
 * The small change that makes `after` of `before`: line by line, then without the equal ends of each stretch,
 * so that cursors elsewhere stay where they are.
 */
export function changesBetween(before: Text, after: Text): ChangeSet {
  const oldLines = linesOf(before)
  const newLines = linesOf(after)
  let head = 0
  while (head < oldLines.length && head < newLines.length && oldLines[head] === newLines[head]) head++
  let tail = 0
  const room = Math.min(oldLines.length, newLines.length) - head
  while (tail < room && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail++

  const oldPart = oldLines.slice(head, oldLines.length - tail)
  const newPart = newLines.slice(head, newLines.length - tail)
  const specs: ChangeSpec[] = []
  let at = oldLines.slice(0, head).reduce((sum, line) => sum + line.length, 0)
  let removed = ''
  let added = ''
  const flush = (): void => {
    specs.push(...replacement(at, removed, added))
    at += removed.length
    removed = ''
    added = ''
  }
  for (const part of diffArrays(oldPart, newPart, { maxEditLength: limitEdits }) ??
    wholly(oldPart, newPart)) {
    if (part.removed) removed += part.value.join('')
    else if (part.added) added += part.value.join('')
    else {
      flush()
      for (const line of part.value) at += line.length
    }
  }
  flush()
  return ChangeSet.of(specs, before.length)
}

type Part = { value: string[]; removed: boolean; added: boolean }

function wholly(oldLines: string[], newLines: string[]): Part[] {
  return [
    { value: oldLines, removed: true, added: false },
    { value: newLines, removed: false, added: true },
  ]
}

/** Lines with their line break, so that a stretch of lines is exactly a stretch of text. */
function linesOf(text: Text): string[] {
  const lines = [...text.iterLines()]
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line}\n`))
}

function replacement(at: number, removed: string, added: string): ChangeSpec[] {
  if (removed === added) return []
  const limit = Math.min(removed.length, added.length)
  let head = 0
  while (head < limit && removed[head] === added[head]) head++
  let tail = 0
  while (tail < limit - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail++
  // A surrogate pair is replaced whole: half of one is no text.
  if (head > 0 && isHighSurrogate(removed.charCodeAt(head - 1))) head--
  if (tail > 0 && isLowSurrogate(removed.charCodeAt(removed.length - tail))) tail--
  const insert = Text.of(added.slice(head, added.length - tail).split('\n'))
  return [{ from: at + head, to: at + removed.length - tail, insert }]
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

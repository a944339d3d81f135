import { ChangeSet, type ChangeSpec, Text } from '@codemirror/state'
import { diffHunks } from '../../shared/text/difference/hunks.ts'
import { commonEnds } from '../../shared/text/difference/text-similarity.ts'

/**
 * Returns a small change that turns `before` into `after`: compares line by line, then leaves out the equal ends of
 * each changed part, so that cursors elsewhere stay where they are.
 */
export function changesBetween(before: Text, after: Text): ChangeSet {
  const hunks = diffHunks(before.toString(), after.toString())
  const specs = hunks.flatMap(({ oldFrom, oldLines, newLines }) =>
    smallChange(before.line(oldFrom).from, oldLines.join(''), newLines.join('')),
  )
  return ChangeSet.of(specs, before.length)
}

/** Returns the change between the equal ends of two texts. Units: `at`, where `removed` begins, in UTF-16. */
export function smallChange(at: number, removed: string, added: string): ChangeSpec[] {
  if (removed === added) return []
  let { head, tail } = commonEnds(removed, added)
  // A surrogate pair is replaced as a whole: half of one is not valid text.
  if (head > 0 && /[\ud800-\udbff]/.test(removed.charAt(head - 1))) head--
  if (tail > 0 && /[\udc00-\udfff]/.test(removed.charAt(removed.length - tail))) tail--
  const insert = Text.of(added.slice(head, added.length - tail).split('\n'))
  return [{ from: at + head, to: at + removed.length - tail, insert }]
}

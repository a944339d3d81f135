import { continuationPosition } from '../../../../shared/text/manuscript/manuscript-marks.ts'
import { isBlank } from '../../../../shared/text/white-space.ts'
import type { SliceContext } from '../slice.ts'

/**
 * Returns where another take of a file's offer is written: where the offer stands by now, if that is in the middle of
 * the text; undefined at its end. An offer that was found again after a reload has no `endAt`, the place for which it
 * was requested.
 *
 * Units: UTF-16.
 */
export async function placeToRetry(
  { client, get, editor }: SliceContext,
  { path, takeId, endAt }: { path: string; takeId: string; endAt: number | undefined },
): Promise<number | undefined> {
  // Main knows only the changes that were sent to it.
  await get().documents.flush(path)
  const key = get().documents.byPath[path]?.key ?? ''
  const shownAt = editor.current?.offerPlace(key) ?? null
  if (shownAt !== null && endAt !== undefined) return shownAt
  if (shownAt !== null) {
    const text = editor.current?.textOf(key) ?? ''
    return isBlank(text.slice(shownAt, continuationPosition(text))) ? undefined : shownAt
  }
  const workId = get().work.current?.workId
  if (endAt === undefined || workId === undefined) return endAt
  const { runs } = await client['run.list']({ workId })
  return runs.find((run) => run.takeId === takeId)?.position ?? endAt
}

import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'

/** A place among sent messages. Shape: `at` counts from the newest; `unsent` is what the box held before. */
export type Recall = { at: number; unsent: MessageSegment[] }

/** Returns the messages that can be recalled, newest first; one that was sent twice in a row counts once. */
export function sentMessages(items: readonly SessionItem[]): MessageSegment[][] {
  const sent: MessageSegment[][] = []
  for (const item of items.toReversed()) {
    if (item.kind !== 'user') continue
    if (JSON.stringify(sent.at(-1)) !== JSON.stringify(item.segments)) sent.push(item.segments)
  }
  return sent
}

/** Goes one step back (1) or forward (-1); null where there is none. `segments` is what the box then shows. */
export function recallStep(
  recall: Recall | null,
  by: 1 | -1,
  sent: readonly MessageSegment[][],
  current: MessageSegment[],
): { recall: Recall | null; segments: MessageSegment[] } | null {
  const from = recall ?? { at: -1, unsent: current }
  const at = from.at + by
  if (at < 0) return recall === null ? null : { recall: null, segments: recall.unsent }
  const segments = sent[at]
  return segments === undefined ? null : { recall: { ...from, at }, segments }
}

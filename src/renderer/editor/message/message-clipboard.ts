import { MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'

/** Clipboard type of a message in its pieces; other programs see the message's text. */
const segmentsType = 'application/x-tsugi-message'

export function copySegments(data: DataTransfer, segments: readonly MessageSegment[]): void {
  data.setData('text/plain', segmentsText(segments))
  data.setData(segmentsType, JSON.stringify(segments))
}

/** Reads a message that was copied in a message box; null where something else was copied. */
export function pastedSegments(data: DataTransfer): MessageSegment[] | null {
  const text = data.getData(segmentsType)
  if (text === '') return null
  try {
    return MessageSegment.array().parse(JSON.parse(text))
  } catch {
    // Any page can write under this type: what cannot be read is not ours, and its plain text is pasted.
    return null
  }
}

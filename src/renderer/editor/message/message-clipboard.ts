import { MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'

/** Under this type the clipboard holds a message in its pieces; other programs see its text. */
const segmentsType = 'application/x-tsugi-message'

export function copySegments(data: DataTransfer, segments: readonly MessageSegment[]): void {
  data.setData('text/plain', segmentsText(segments))
  data.setData(segmentsType, JSON.stringify(segments))
}

/** The message that was copied in a box like this one. Null where something else was. */
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

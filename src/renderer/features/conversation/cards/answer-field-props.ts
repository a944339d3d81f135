import type { MessageSegment } from '../../../../shared/domain/session/message-segment.ts'

/** What the conversation gives to the field that a question is answered in. `onAnswer`: false where it was not sent. */
export type AnswerFieldProps = {
  callId: string
  onAnswer: (segments: MessageSegment[]) => Promise<boolean>
}

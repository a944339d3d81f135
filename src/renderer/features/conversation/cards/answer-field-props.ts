import type { MessageSegment } from '../../../../shared/domain/session/message-segment.ts'

/** Props of the field in which the user answers a question of the model. `onAnswer`: false where it was not sent. */
export type AnswerFieldProps = {
  callId: string
  onAnswer: (segments: MessageSegment[]) => Promise<boolean>
}

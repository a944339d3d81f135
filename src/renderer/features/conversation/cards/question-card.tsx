import { type ComponentType, memo, useEffect } from 'react'
import type { MessageSegment } from '../../../../shared/domain/session/message-segment.ts'
import type { SessionItem } from '../../../../shared/domain/session/session-item.ts'
import { answerKey } from '../../../state/slices/unsent-slice.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'

type QuestionCardProps = {
  item: Extract<SessionItem, { kind: 'question' }>
  AnswerField: ComponentType<AnswerFieldProps>
}

/** A question of the model: the user chooses one of its options or answers in free text. */
export const QuestionCard = memo(function QuestionCard({ item, AnswerField }: QuestionCardProps) {
  const { t } = useWords()
  const answerQuestion = useApp((state) => state.composer.answerQuestion)
  const key = useApp((state) => answerKey(state, item.callId))
  const isLeftBehind = useApp(({ unsent }) => !item.isOpen && (unsent.byKey[key]?.length ?? 0) > 0)
  const leaveAnswer = useApp((state) => state.composer.leaveAnswer)
  const isAnswered = item.answer !== null
  useEffect(() => {
    if (isLeftBehind) leaveAnswer(item.callId, isAnswered)
  }, [isLeftBehind, leaveAnswer, item.callId, isAnswered])
  return (
    <section
      className={item.isOpen ? 'column question-card question-open' : 'column question-card'}
      aria-label={t('conversation.question')}
    >
      <p className="label">{t('conversation.question')}</p>
      <p className="pre question-text">{item.question}</p>
      {item.isOpen && (
        <>
          {item.options.length > 0 && (
            <div className="choices question-options">
              {item.options.map((option) => (
                <Button
                  key={option}
                  onClick={() => void answerQuestion(item.callId, [{ kind: 'text', text: option }])}
                >
                  {option}
                </Button>
              ))}
            </div>
          )}
          <AnswerField callId={item.callId} onAnswer={(segments) => answerQuestion(item.callId, segments)} />
        </>
      )}
      {item.answer !== null && <p className="question-answer">{item.answer}</p>}
      {item.answer === null && !item.isOpen && <p className="dim small">{t('conversation.unanswered')}</p>}
    </section>
  )
})

/** Props of the field in which the user answers a question of the model. `onAnswer`: false where it was not sent. */
export type AnswerFieldProps = {
  callId: string
  onAnswer: (segments: MessageSegment[]) => Promise<boolean>
}

import { memo, useState } from 'react'
import type { SessionItem } from '../../../shared/domain/session-item.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

type QuestionItem = Extract<SessionItem, { kind: 'question' }>

/** The model asks: one of its options, or words of one's own. */
export const QuestionCard = memo(function QuestionCard({ item }: { item: QuestionItem }) {
  const { t } = useWords()
  const answerQuestion = useApp((state) => state.sessions.answerQuestion)
  const [own, setOwn] = useState('')
  const answer = (text: string) => {
    if (text.trim() !== '') void answerQuestion(item.callId, text.trim())
  }
  return (
    <section
      className={item.isOpen ? 'question-card question-open' : 'question-card'}
      aria-label={t('conversation.question')}
    >
      <p className="label">{t('conversation.question')}</p>
      <p className="question-text">{item.question}</p>
      {item.isOpen && (
        <>
          {item.options.length > 0 && (
            <div className="question-options">
              {item.options.map((option) => (
                <Button key={option} onClick={() => answer(option)}>
                  {option}
                </Button>
              ))}
            </div>
          )}
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault()
              answer(own)
            }}
          >
            <input
              className="input"
              aria-label={t('conversation.ownAnswer')}
              placeholder={t('conversation.ownAnswer')}
              value={own}
              onChange={(event) => setOwn(event.target.value)}
            />
            <Button type="submit" disabled={own.trim() === ''}>
              {t('conversation.answer')}
            </Button>
          </form>
        </>
      )}
      {item.answer !== null && <p className="question-answer">{item.answer}</p>}
      {item.answer === null && !item.isOpen && <p className="dim small">{t('conversation.unanswered')}</p>}
    </section>
  )
})

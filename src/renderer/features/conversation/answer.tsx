import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { useWords } from '../../state/store-context.tsx'
import { Markdown } from './markdown/markdown-view.tsx'

type AnswerItem = Extract<SessionItem, { kind: 'answer' }>

/** An answer of the model; its reasoning is folded. */
export function Answer({ item }: { item: AnswerItem }) {
  const { t } = useWords()
  const isGrowing = item.state === 'writing'
  const marks = [
    item.purpose === 'beside' ? t('conversation.how.beside') : null,
    item.isDemo ? t('model.demo') : null,
    item.state === 'stopped' ? t('conversation.stopped') : null,
    item.state === 'failed' ? t('conversation.broken') : null,
    item.isCut ? t('conversation.cut') : null,
  ].filter((mark) => mark !== null)
  if (item.text === '' && item.reasoning === '' && marks.length === 0) return <div className="answer" />
  return (
    <article className="answer" aria-label={item.modelName} aria-busy={isGrowing}>
      {item.reasoning !== '' && (
        <details className="reasoning">
          <summary>
            {t(isGrowing && item.text === '' ? 'conversation.thinking' : 'conversation.thought')}
          </summary>
          <p>{item.reasoning}</p>
        </details>
      )}
      {item.text !== '' && <Markdown text={item.text} isGrowing={isGrowing} />}
      {marks.length > 0 && <p className="answer-marks">{marks.join(' · ')}</p>}
    </article>
  )
}

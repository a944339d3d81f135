import { memo } from 'react'
import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { useCopy } from '../../state/use-copy.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from './markdown/markdown-view.tsx'

type UserItem = Extract<SessionItem, { kind: 'user' }>

/** A message of the user, in its segments; `isPreview`: it is not part of the conversation yet. */
export const UserMessage = memo(function UserMessage(props: { item: UserItem; isPreview?: boolean }) {
  const { item, isPreview = false } = props
  const { t } = useWords()
  const edit = useApp((state) => state.composer.edit)
  const isEdited = useApp((state) => state.composer.editing === item.turn)
  const [isCopied, copy] = useCopy()
  const named = (action: string) =>
    t('action.of', { action, name: t('conversation.turn.message', { turn: item.turn }) })
  const copyLabel = t(isCopied ? 'conversation.copied' : 'action.copy')
  return (
    <article
      className={isEdited ? 'user-message user-message-edited' : 'user-message'}
      aria-label={t('conversation.you')}
    >
      {item.speculatedBy !== undefined && (
        <p className="label">{t('speculation.by', { model: item.speculatedBy })}</p>
      )}
      {item.how !== 'send' && <p className="label">{t(`conversation.how.${item.how}`)}</p>}
      <Segments segments={item.segments} />
      <div className="user-message-actions">
        <Button
          variant="quiet"
          aria-label={named(copyLabel)}
          onClick={() => copy(segmentsText(item.segments))}
        >
          {copyLabel}
        </Button>
        {item.how === 'send' && !isPreview && (
          <Button variant="quiet" aria-label={named(t('conversation.edit'))} onClick={() => edit(item.turn)}>
            {t('conversation.edit')}
          </Button>
        )}
      </div>
    </article>
  )
})

/** A message as it was written: text, files by their name, pastes folded. */
function Segments({ segments }: { segments: readonly MessageSegment[] }) {
  const { t } = useWords()
  return (
    <div className="pre segments">
      {segments.map((segment, index) => {
        const key = `${segment.kind}-${index}`
        if (segment.kind === 'text') return <span key={key}>{segment.text}</span>
        if (segment.kind === 'file-ref' || segment.kind === 'image') {
          return (
            <span key={key} className="message-chip">
              {segment.kind === 'image' ? segment.image.name : segmentsText([segment])}
            </span>
          )
        }
        return (
          <details key={key} className="paste">
            <summary className="message-chip">
              {t('conversation.paste', { count: segment.text.split('\n').length })}
            </summary>
            <pre className="code">{segment.text}</pre>
          </details>
        )
      })}
    </div>
  )
}

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
  if (item.text === '' && item.reasoning === '' && marks.length === 0)
    return <div className="column answer" />
  return (
    <article className="column answer" aria-label={item.modelName} aria-busy={isGrowing}>
      {item.reasoning !== '' && (
        <details className="reasoning">
          <summary>
            {t(isGrowing && item.text === '' ? 'conversation.thinking' : 'conversation.thought')}
          </summary>
          <p className="pre">{item.reasoning}</p>
        </details>
      )}
      {item.text !== '' && <Markdown text={item.text} isGrowing={isGrowing} />}
      {marks.length > 0 && <p className="answer-marks small dim">{marks.join(' · ')}</p>}
    </article>
  )
}

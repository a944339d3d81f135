import { segmentsText } from '../../../shared/domain/message-segment.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

/** Messages that wait for the running turn; each can be taken back into the box. */
export function QueuedMessages() {
  const { t } = useWords()
  const queue = useApp((state) => state.sessions.current?.state?.queue)
  const { removeQueued, fillBox } = useApp((state) => state.sessions)
  if (!queue || queue.length === 0) return null
  const takeBack = async (messageId: string) => {
    const segments = await removeQueued(messageId)
    if (segments) fillBox(segments)
  }
  return (
    <ul className="queued" aria-label={t('session.queued')}>
      {queue.map((message) => (
        <li key={message.messageId} className="row">
          <span className="label">{t('session.waits')}</span>
          <span className="grow clip">{segmentsText(message.segments)}</span>
          <Button look="quiet" onClick={() => void takeBack(message.messageId)}>
            {t('session.takeBack')}
          </Button>
        </li>
      ))}
    </ul>
  )
}

import { positionText } from '../../state/position-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Meter } from '../../ui/meter.tsx'

/** Where the open session stands, and what it does at this moment. */
export function SessionStatus() {
  const { t } = useWords()
  const state = useApp((app) => app.conversation.current?.state ?? null)
  if (state === null) return <span className="grow" />
  const { activity } = state
  return (
    <>
      <span role="status">{positionText(t, state)}</span>
      {state.queue.length > 0 && (
        <span className="status-wide">
          {t(state.isQueueHeld ? 'session.status.held' : 'session.status.queued', {
            count: state.queue.length,
          })}
        </span>
      )}
      <span className="grow" />
      {activity && (
        <>
          <span>
            {activity.waitMs === undefined
              ? t(`session.phase.${activity.phase}`)
              : t('session.phase.waiting', { seconds: Math.ceil(activity.waitMs / 1000) })}
          </span>
          {activity.progress !== null && <Meter label={t('status.progress')} value={activity.progress} />}
        </>
      )}
    </>
  )
}

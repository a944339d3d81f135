import { memo } from 'react'
import type { SessionItem } from '../../../../shared/domain/session/session-item.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { canAskAgain } from './item-words.ts'

type ErrorItem = Extract<SessionItem, { kind: 'error' }>

/** Shows an error at the place where it happened, with what the user can do about it. */
export const ErrorCard = memo(function ErrorCard({ item }: { item: ErrorItem }) {
  const { t, errorText } = useWords()
  const recover = useApp((state) => state.conversation.recover)
  const open = useApp((state) => state.ui.open)
  const canRecover = useApp(({ conversation }) => {
    const last = conversation.current?.items.findLast((one) => one.kind === 'error')
    return conversation.current?.state?.canRecover === true && last?.itemId === item.itemId
  })
  // A turn that cannot be recovered, and has come to nothing, can be sent once more.
  const resend = useApp((state) => state.composer.resend)
  const canResend = useApp(({ conversation }) => {
    const { items = [], state } = conversation.current ?? {}
    return !canRecover && canAskAgain(item, items, state)
  })
  const isOfModel = item.error?.code.startsWith('model/') ?? false
  return (
    <section className="error-card" role={canRecover ? 'alert' : undefined}>
      <Icon name="warn" />
      <div className="grow">
        {item.failure !== null && <p>{t(`failure.${item.failure}`)}</p>}
        {item.error !== null && (
          <p className={item.failure === null ? '' : 'small'}>{errorText(item.error)}</p>
        )}
        {item.isRetried && <p className="small dim">{t('conversation.retried')}</p>}
        {(canRecover || canResend) && (
          <div className="row error-actions">
            <Button onClick={() => void (canRecover ? recover() : resend(item.turn))}>
              {t('action.tryAgain')}
            </Button>
            {isOfModel && (
              <Button variant="quiet" onClick={() => open({ kind: 'settings', section: 'models' })}>
                {t('model.choose')}
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  )
})

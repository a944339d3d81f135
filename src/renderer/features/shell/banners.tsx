import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** What concerns the whole window: the connection, and a work that would not open. */
export function Banners() {
  const { t, errorText } = useWords()
  const { status, isHostClosing, retry } = useApp((state) => state.connection)
  const error = useApp((state) => (state.work.current ? state.work.error : null))
  return (
    <>
      {status === 'lost' && (
        <Notice tone="bad" actions={<Button onClick={retry}>{t('action.retryNow')}</Button>}>
          {t(isHostClosing ? 'banner.hostClosed' : 'banner.lost')}
        </Notice>
      )}
      {status === 'refused' && <Notice tone="bad">{t('banner.refused')}</Notice>}
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
    </>
  )
}

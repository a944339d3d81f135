import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RefusedNotice } from './refused-notice.tsx'

/** What concerns the whole window: the connection, and a work that would not open. */
export function Banners() {
  const { t, errorText } = useWords()
  const { status, isHostClosing, isLinkTried, host, retry } = useApp((state) => state.connection)
  const error = useApp((state) => (state.work.current ? state.work.error : null))
  return (
    <>
      {status === 'lost' && (
        <Notice tone="bad" actions={<Button onClick={retry}>{t('action.retryNow')}</Button>}>
          {t(isHostClosing ? 'banner.hostClosed' : 'banner.lost')}
        </Notice>
      )}
      {host !== null && (status === 'refused' || (status === 'connecting' && isLinkTried)) && (
        <RefusedNotice />
      )}
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
    </>
  )
}

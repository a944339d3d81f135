import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { KeptNotice } from './kept-notice.tsx'
import { RefusedNotice } from './refused-notice.tsx'

/** What concerns the whole window: the connection, a work that would not open, and a `work.json` that is not read. */
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
      <WorkFileNotice />
      <KeptNotice />
    </>
  )
}

/** Says that the folder is open without its details, which cannot be changed until the repair. */
function WorkFileNotice() {
  const { t } = useWords()
  const problem = useApp((state) => state.work.current?.workFileProblem ?? null)
  const repair = useApp((state) => state.work.repairFile)
  if (problem === null) return null
  return (
    <Notice tone="warn" actions={<Button onClick={() => void repair()}>{t('workFile.repair')}</Button>}>
      {t('workFile.problem', { why: t(`workFile.${problem}`) })}
    </Notice>
  )
}

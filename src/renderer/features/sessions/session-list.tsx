import './session-list.css'
import { useApp, useWords } from '../../state/store-context.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SessionRow } from './session-row.tsx'

/** The folder's conversations, newest first. */
export function SessionList() {
  const { t, errorText } = useWords()
  const { list, isListLoaded, listError } = useApp((state) => state.sessions)
  const create = useApp((state) => state.sessions.create)
  const open = useApp((state) => state.ui.open)
  return (
    <nav aria-label={t('session.list')} className="session-nav">
      <div className="file-group">
        <h2 className="label grow">{t('session.list')}</h2>
        <IconButton
          icon="search"
          label={t('session.search')}
          onClick={() => open({ kind: 'session-search' })}
        />
        <IconButton icon="add" label={t('session.new')} onClick={() => void create()} />
      </div>
      {listError && <Notice tone="bad">{errorText(listError)}</Notice>}
      {!isListLoaded && <p className="session-none late">{t('loading')}</p>}
      {isListLoaded && list.length === 0 && !listError && <p className="session-none">{t('session.none')}</p>}
      <ul>
        {list.map((session) => (
          <SessionRow key={session.sessionId} session={session} />
        ))}
      </ul>
    </nav>
  )
}

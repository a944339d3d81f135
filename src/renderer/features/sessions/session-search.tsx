import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { SessionHit } from '../../../shared/domain/session/session.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { type SaveState, saveStateOf } from '../../state/reducers/document-reducer.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Pause in typing before the search begins. Units: milliseconds. */
const restMs = 200

/** Save states in which opening another folder would lose text for good. */
const lostStates: readonly SaveState[] = ['failed', 'conflict', 'offline']

type Found = { hits: SessionHit[]; error: ErrorInfo | null }

/** Searches the messages of all sessions, the open folder's first, while the user types. */
export function SessionSearch() {
  const { t, language, errorText } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const found = useFound(query.trim())
  const hits = found?.hits ?? []

  const workId = useApp((state) => state.work.current?.workId)
  const hasUnsaved = useApp(({ documents }) =>
    Object.values(documents.byPath).some((view) => lostStates.includes(saveStateOf(view))),
  )
  const [asked, setAsked] = useState<SessionHit | null>(null)
  const [failure, setFailure] = useState<ErrorInfo | null>(null)

  const open = async (hit: SessionHit, isSure = false) => {
    if (hit.workId !== workId && hasUnsaved && !isSure) return setAsked(hit)
    setAsked(null)
    if (await store.getState().sessions.openFound(hit)) close()
    else setFailure(store.getState().work.error)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (hits.length === 0) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const hit = hits[chosen]
    if (step !== 0) setChosen((chosen + step + hits.length) % hits.length)
    else if (event.key === 'Enter' && hit) void open(hit)
    else return
    event.preventDefault()
  }

  return (
    <Dialog
      title={t('session.search')}
      footer={
        asked && (
          <>
            <p className="grow" role="alert">
              {t('session.search.unsaved', { name: asked.workName })}
            </p>
            <Button autoFocus onClick={() => setAsked(null)}>
              {t('action.cancel')}
            </Button>
            <Button variant="danger" onClick={() => void open(asked, true)}>
              {t('session.search.openAnyway')}
            </Button>
          </>
        )
      }
    >
      <div className="session-search">
        <input
          className="input grow"
          autoFocus
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls={listId}
          aria-activedescendant={hits.length > 0 ? `${listId}-${chosen}` : undefined}
          aria-label={t('session.search.words')}
          placeholder={t('session.search.words')}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setAsked(null)
            setFailure(null)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {failure && <Notice tone="bad">{errorText(failure)}</Notice>}
      {found?.error && <Notice tone="bad">{errorText(found.error)}</Notice>}
      {found && !found.error && hits.length === 0 && (
        <p className="session-dialog-text dim">{t('session.search.none')}</p>
      )}
      <div className="session-hits" role="listbox" id={listId} aria-label={t('session.search.found')}>
        {hits.map((hit, index) => (
          <div
            key={`${hit.sessionId}-${hit.itemId}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="session-hit"
            onMouseEnter={() => setChosen(index)}
            onClick={() => void open(hit)}
            onKeyDown={onKeyDown}
          >
            <span className="row">
              <b className="clip">{hit.title || t('session.untitled')}</b>
              <span className="grow dim small clip">{hit.workId === workId ? '' : hit.workName}</span>
              <time className="dim small">{new Date(hit.at).toLocaleDateString(language)}</time>
            </span>
            <span className="hit-excerpt">{hit.excerpt}</span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

/** Returns the hits for the words once typing pauses; null before. */
function useFound(query: string): Found | null {
  const store = useAppStore()
  const workId = useApp((state) => state.work.current?.workId)
  const [found, setFound] = useState<Found | null>(null)
  useEffect(() => {
    if (query === '') return setFound(null)
    const controller = new AbortController()
    const timer = setTimeout(() => {
      store.client['session.search'](
        { query, ...(workId === undefined ? {} : { workId }) },
        { signal: controller.signal },
      ).then(
        ({ hits }) => setFound({ hits, error: null }),
        (error) => {
          if (!controller.signal.aborted) setFound({ hits: [], error: infoOf(error) })
        },
      )
    }, restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [store, query, workId])
  return found
}

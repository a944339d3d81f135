import './takes-panel.css'
import { useMemo } from 'react'
import { keysOfId } from '../../state/commands/commands.ts'
import { takeNames, takesOf } from '../../state/reducers/take-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TakeCard } from './take-card.tsx'
import { takeTree } from './take-tree.ts'

/** All that the model has written for the open file, newest first. Nothing here is ever lost. */
export function TakesPanel() {
  const { t, language, errorText } = useWords()
  const path = useApp((state) => state.documents.activePath)
  const keys = useApp((state) => keysOfId('draft.start', state)) ?? []
  const list = useApp((state) => state.takes.list)
  const { hasMore, isLoading, error, loadMore } = useApp((state) => state.takes)
  const shownId = useApp((state) => state.runs.offers[path ?? '']?.takeId)
  const takes = useMemo(
    () => takesOf(list, path).filter((take) => take.text !== '' || take.takeId === shownId),
    [list, path, shownId],
  )
  const tree = useMemo(() => takeTree(takes, language), [takes, language])
  const names = takeNames(
    takes,
    (at) => timeText(at, language),
    (time, nth) => t('takes.named', { time, nth }),
  )

  return (
    <div className="takes-panel">
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {takes.length === 0 && !isLoading && (
        <p className="takes-empty">
          {t('takes.empty')} <Kbd keys={keys} />
        </p>
      )}
      {tree.map((place) => (
        <section key={place.placeId} className="takes-place">
          {place.takes.length > 1 && (
            <h3 className="takes-place-name">{t('takes.samePlace', { count: place.takes.length })}</h3>
          )}
          <ul aria-label={t('tab.takes')}>
            {place.takes.map(({ take, word, depth }) => (
              <TakeCard
                key={take.takeId}
                take={take}
                name={names.get(take.takeId) ?? ''}
                word={word}
                depth={depth}
                isShown={take.takeId === shownId}
              />
            ))}
          </ul>
        </section>
      ))}
      {isLoading && takes.length === 0 && <p className="takes-empty late">{t('loading')}</p>}
      {hasMore && (
        <Button look="quiet" className="takes-more" disabled={isLoading} onClick={() => void loadMore()}>
          {t('takes.more')}
        </Button>
      )}
    </div>
  )
}

/** Returns the time of a take, with the day where that is not today. */
function timeText(at: number, language: string): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return date.toLocaleString(language, {
    ...(isToday ? {} : { month: 'numeric', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  })
}

import './takes-panel.css'
import { useMemo } from 'react'
import type { Take } from '../../../shared/domain/drafting/take.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { keysOfId } from '../../state/commands/commands.ts'
import { takeNames, takesOf } from '../../state/reducers/take-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TakeCard } from './take-card.tsx'

/** All takes of the open file, newest first. */
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
        <Button variant="quiet" className="takes-more" disabled={isLoading} onClick={() => void loadMore()}>
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

/**
 * A take among the others of its place. `word`: the first that none of its siblings has; empty where it ends there,
 * null where it has no sibling. `depth`: how often the takes have parted before.
 */
type PlacedTake = { take: Take; word: string | null; depth: number }

/** The takes of one place, those that begin alike together. */
type TakePlace = { placeId: string; takes: PlacedTake[] }

/** Groups takes by their place: the place of the newest take first, and within it the newest first. */
export function takeTree(newestFirst: readonly Take[], language: 'ja' | 'en'): TakePlace[] {
  const places = Map.groupBy(newestFirst, ({ placeId, takeId }) => placeId || takeId)
  return [...places].map(([placeId, takes]) => ({
    placeId,
    takes: parted(
      takes.map((take) => ({ take, words: wordsOf(take.text, language) })),
      0,
      0,
    ),
  }))
}

type Worded = { take: Take; words: readonly string[] }

/** Shape: `takes` have the first `shared` words in common. */
function parted(takes: readonly Worded[], shared: number, depth: number): PlacedTake[] {
  const [first] = takes
  if (first === undefined) return []
  if (takes.length === 1) return [{ take: first.take, word: null, depth }]
  let at = shared
  while (at < first.words.length && takes.every(({ words }) => words[at] === first.words[at])) at += 1
  const branches = Map.groupBy(takes, ({ words }) => words[at] ?? '')
  if (branches.size === 1) return takes.map(({ take }) => ({ take, word: '', depth }))
  return [...branches].flatMap(([word, branch]) => {
    if (word === '') return branch.map(({ take }) => ({ take, word, depth }))
    if (branch.length === 1) return branch.map(({ take }) => ({ take, word, depth }))
    return parted(branch, at + 1, depth + 1)
  })
}

/** Words, without white space and signs between them. */
function wordsOf(text: string, language: 'ja' | 'en'): string[] {
  const segmenter = new Intl.Segmenter(languageOfText(text) ?? language, { granularity: 'word' })
  return [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

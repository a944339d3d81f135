import './ask-panel.css'
import './mentions-dialog.css'
import { useCallback, useEffect, useState } from 'react'
import type { Mentions } from '../../../shared/domain/lore/mentions.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { MentionButton, useGoToPlace } from '../places/place-button.tsx'
import { SearchForm } from './search-form.tsx'

/** Shows where a name, a selection or an entry's keys appear: a strip over the chapters, and every place. */
export function MentionsDialog({ keys }: { keys: readonly string[] }) {
  const { t } = useWords()
  const findMentions = useApp((state) => state.lore.findMentions)
  const given = keys.join('、')
  const [wanted, setWanted] = useState(given)
  const [found, setFound] = useState<Mentions | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const find = useCallback(
    async (names: readonly string[]) => {
      if (names.length === 0) return
      setIsBusy(true)
      setFound(await findMentions(names))
      setIsBusy(false)
    },
    [findMentions],
  )
  useEffect(() => void find(keys), [find, keys])
  const filled = found?.chapters.filter(({ places }) => places.length > 0) ?? []
  const count = found?.total ?? 0
  const summary =
    found !== null &&
    (count === 0 ? t('mentions.nothing') : t('mentions.found', { count, chapters: filled.length }))
  return (
    <Dialog title={t('command.mentions')} size="medium">
      <SearchForm
        label={t('mentions.keys')}
        hint={t('mentions.hint')}
        send={t('mentions.find')}
        value={wanted}
        canSend={!isBusy && keysOf(wanted).length > 0}
        onChange={setWanted}
        // The keys of an entry may contain commas.
        onSend={() => void find(wanted === given ? keys : keysOf(wanted))}
        status={isBusy ? t('ask.reading') : summary}
      >
        {found?.isTruncated && <Notice tone="warn">{t('mentions.truncated', { count: found.total })}</Notice>}
        {found !== null && found.failedKeys.length > 0 && (
          <Notice tone="warn">{t('mentions.failed', { keys: found.failedKeys })}</Notice>
        )}
        {found !== null && found.unread[0] !== undefined && (
          <Notice tone="warn">
            {t('ask.unread', { count: found.unread.length, path: found.unread[0] })}
          </Notice>
        )}
      </SearchForm>
      {found !== null && found.total > 0 && <Strip chapters={found.chapters} />}
      {filled.map((chapter) => (
        <ChapterPlaces key={chapter.path} chapter={chapter} />
      ))}
    </Dialog>
  )
}

type Chapter = Mentions['chapters'][number]

/** One column for each chapter, as high as the number of its mentions; pressing one goes to its first place. */
function Strip({ chapters }: { chapters: readonly Chapter[] }) {
  const { t } = useWords()
  const most = Math.max(1, ...chapters.map(({ places }) => places.length))
  const goToPlace = useGoToPlace()
  return (
    <ul className="mentions-strip" aria-label={t('mentions.strip')}>
      {chapters.map(({ path, places }) => {
        const label = t('mentions.chapter', { name: displayName(path), count: places.length })
        const [first] = places
        return (
          <li key={path}>
            <button
              type="button"
              title={label}
              aria-label={label}
              disabled={first === undefined}
              onClick={() => first && goToPlace({ path, from: first.from })}
            >
              <span style={{ height: `${(places.length / most) * 100}%` }} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function ChapterPlaces({ chapter: { path, places } }: { chapter: Chapter }) {
  const { t } = useWords()
  const name = displayName(path)
  return (
    <section aria-label={name}>
      <h3 className="label mentions-chapter">{t('mentions.chapter', { name, count: places.length })}</h3>
      <ol className="ask-quotations">
        {places.map((place) => (
          <li key={place.from}>
            <MentionButton path={path} place={place} />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Splits the keys at commas, except for a regular expression, which may contain commas. */
function keysOf(text: string): string[] {
  const whole = text.trim()
  const parts = /^\/.+\/$/su.test(whole) ? [whole] : whole.split(/[,、，\n]/)
  return [...new Set(parts.map((key) => key.trim()))].filter((key) => key !== '')
}

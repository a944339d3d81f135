import type { StoryReport } from '../../../shared/domain/lore/episode-summary.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

/** Summaries in the next prompt, in place of the episodes that no longer fit; and what could be summarised. */
export function StoryList({ report }: { report: StoryReport | null }) {
  const { t, errorText } = useWords()
  const open = useApp((state) => state.ui.open)
  const goTo = useApp((state) => state.documents.goTo)
  if (report === null) return null
  const { uses, missing, unread, usedTokens, budgetTokens } = report
  const leftOut = uses.filter(({ place }) => place === 'left-out').length + unread.length
  const nameOf = (path: string | null) => (path === null ? t('summary.whole') : displayName(path))
  return (
    <section className="card lore" aria-label={t('story.title')}>
      <div className="row">
        <h3 className="label grow">{t('story.title')}</h3>
        <span className="dim">{t('lore.budget', { used: usedTokens, budget: budgetTokens })}</span>
        <Button look="quiet" onClick={() => open({ kind: 'summaries' })}>
          {t('story.open')}
        </Button>
      </div>
      <p className="dim">{t('story.why')}</p>
      <ul>
        {uses.map(({ path, file, place, isOutdated, tokens }) => (
          <li key={file} className={place === 'left-out' ? 'row lore-left-out' : 'row'}>
            <button type="button" className="lore-reason grow clip" onClick={() => goTo(file)}>
              {nameOf(path)}
            </button>
            {isOutdated && <span className="dim">{t('summary.state.outdated')}</span>}
            <span className="dim">{t(`lore.place.${place}`)}</span>
            <span className="dim">{t('lore.tokens', { count: tokens })}</span>
          </li>
        ))}
        {unread.map(({ path, file, error }) => (
          <li key={file} className="lore-entry lore-left-out">
            <div className="row">
              <strong className="grow clip">{nameOf(path)}</strong>
              <span className="dim">{t('lore.place.unread')}</span>
            </div>
            <p>{errorText(error)}</p>
          </li>
        ))}
      </ul>
      {unread.length > 0 && (
        <p className="dim">{t('lore.leftOut.unread', { count: leftOut, unread: unread.length })}</p>
      )}
      {missing.length > 0 && <p className="dim">{t('story.missing', { count: missing.length })}</p>}
    </section>
  )
}

import { useEffect, useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { LogEvent } from './log-event.tsx'
import { LogFigures } from './log-figures.tsx'
import { pauseText } from './suggestion-words.ts'

/** The record of suggestions: figures, reasons, the events themselves; it can be read and erased. */
export function SuggestionLog() {
  const { t, errorText } = useWords()
  const { events, summary, hasMore, isLoading, error, load, loadMore } = useApp((app) => app.suggestionLog)
  useEffect(() => void load(), [load])
  return (
    <section className="suggestion-log" aria-label={t('suggestion.log')}>
      <Pauses />
      <h3 className="label">{t('suggestion.log')}</h3>
      <p className="small dim">{t('suggestion.log.hint')}</p>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {events === null && isLoading && <p className="dim late">{t('loading')}</p>}
      {events?.length === 0 && <p className="dim">{t('suggestion.log.none')}</p>}
      {events !== null && events.length > 0 && (
        <>
          {summary && <LogFigures summary={summary} />}
          <h4 className="label">{t('suggestion.events')}</h4>
          <ol aria-label={t('suggestion.events')}>
            {events.map((event) => (
              <LogEvent key={event.seq} event={event} />
            ))}
          </ol>
          {hasMore && (
            <Button className="suggestion-more" disabled={isLoading} onClick={() => void loadMore()}>
              {t('suggestion.more')}
            </Button>
          )}
          <Erase />
        </>
      )}
    </section>
  )
}

/** Models that cost too much and are not asked any more, with the way back. */
function Pauses() {
  const { t } = useWords()
  const { pauses, resume } = useApp((app) => app.suggestionLog)
  const profiles = useApp((app) => app.models.profiles)
  return pauses.map((pause) => (
    <Notice
      key={pause.profileId}
      tone="warn"
      actions={<Button onClick={() => void resume()}>{t('suggestion.resume')}</Button>}
    >
      {pauseText(t, pause, profiles.find(({ id }) => id === pause.profileId)?.name ?? pause.profileId)}
    </Notice>
  ))
}

/** Asks before the record is erased, which is for good. */
function Erase() {
  const { t } = useWords()
  const erase = useApp((app) => app.suggestionLog.erase)
  const [step, setStep] = useState<'before' | 'asked' | 'kept'>('before')
  if (step !== 'asked') {
    return (
      <Button
        className="suggestion-erase"
        look="danger"
        autoFocus={step === 'kept'}
        onClick={() => setStep('asked')}
      >
        {t('suggestion.erase')}
      </Button>
    )
  }
  return (
    <Notice
      tone="warn"
      actions={
        <>
          <Button autoFocus onClick={() => setStep('kept')}>
            {t('action.cancel')}
          </Button>
          <Button look="danger" onClick={() => void erase()}>
            {t('suggestion.erase.yes')}
          </Button>
        </>
      }
    >
      {t('suggestion.erase.sure')}
    </Notice>
  )
}

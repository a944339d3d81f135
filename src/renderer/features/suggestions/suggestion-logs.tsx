import { useEffect, useState } from 'react'
import type { SpeculationSummary } from '../../../shared/domain/session/speculation.ts'
import type { SuggestionSummary } from '../../../shared/domain/session/suggestion.ts'
import { durationText, percentText } from '../../../shared/i18n/figure-text.ts'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import type { LoggedSpeculation } from '../../state/slices/session/log-slices.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { eventFacts, pauseText, rankedReasons, reasonText } from './suggestion-words.ts'

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
          {summary && <SuggestionFigures summary={summary} />}
          <h4 className="label">{t('suggestion.events')}</h4>
          <ol className="ruled" aria-label={t('suggestion.events')}>
            {events.map((event) => (
              <LogEntry
                key={event.seq}
                event={event}
                name={t(`suggestion.outcome.${event.outcome}`)}
                facts={eventFacts(t, event)}
              />
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

/** Models that cost too much and are not asked any more, with the button that asks them again. */
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
        variant="danger"
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
          <Button variant="danger" onClick={() => void erase()}>
            {t('suggestion.erase.yes')}
          </Button>
        </>
      }
    >
      {t('suggestion.erase.sure')}
    </Notice>
  )
}

/** The record of speculations: figures, where they stopped, the speculations themselves. */
export function SpeculationLog() {
  const { t, errorText } = useWords()
  const { events, summary, hasMore, pause, error, load, loadMore, resume } = useApp(
    (app) => app.speculationLog,
  )
  useEffect(() => void load(), [load])
  if (pause === null && error === null && !events?.length) return null
  return (
    <section className="suggestion-log" aria-label={t('speculation.log')}>
      {pause !== null && (
        <Notice
          tone="warn"
          actions={<Button onClick={() => void resume()}>{t('speculation.resume')}</Button>}
        >
          {t('speculation.paused', pause)}
        </Notice>
      )}
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {events !== null && events.length > 0 && (
        <>
          <h3 className="label">{t('speculation.log')}</h3>
          {summary && <Figures figures={speculationFigures(t, summary)} />}
          <ol className="ruled" aria-label={t('speculation.log')}>
            {events.map((event) => (
              <LogEntry
                key={event.seq}
                event={event}
                name={t(`speculation.outcome.${event.outcome}`)}
                facts={speculationFacts(t, event)}
              />
            ))}
          </ol>
          {hasMore && (
            <Button className="suggestion-more" onClick={() => void loadMore()}>
              {t('suggestion.more')}
            </Button>
          )}
        </>
      )}
    </section>
  )
}

type Figure = [name: string, value: string]

function Figures({ figures, label }: { figures: readonly Figure[]; label?: string }) {
  return (
    <dl className="suggestion-figures" aria-label={label}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function speculationFigures(t: Translate, summary: SpeculationSummary): Figure[] {
  const count = (value: number) => t('unit.count', { count: value })
  const own = (['started', 'finished', 'accepted'] as const).map(
    (name): Figure => [t(`speculation.figure.${name}`), count(summary[name])],
  )
  const stops = rankedReasons(summary.boundaries).map(
    (one): Figure => [boundaryText(t, one.reason), count(one.count)],
  )
  const tokens = (['promptTokens', 'reusedTokens', 'completionTokens'] as const).map(
    (name): Figure => [t(`suggestion.figure.${name}`), count(summary[name])],
  )
  return [...own, ...stops, ...tokens]
}

/** Returns the words for a boundary; a name that another version recorded is shown unchanged. */
function boundaryText(t: Translate, kind: string): string {
  const key = `speculation.boundary.${kind}`
  return isMessageKey(key) ? t(key) : kind
}

function speculationFacts(t: Translate, event: LoggedSpeculation): string[] {
  const { boundary, reason, filesWritten, promptTokens, reusedTokens, completionTokens } = event
  return [
    ...(reason === null ? [] : [reasonText(t, reason)]),
    ...(boundary === null ? [] : [boundaryText(t, boundary)]),
    t('speculation.files', { count: filesWritten }),
    durationText(t, event.durationMs),
    event.modelName,
    t('requests.tokens', { prompt: promptTokens, reused: reusedTokens, written: completionTokens }),
  ]
}

/** The figures of all suggestions, and the reasons why none was made. */
function SuggestionFigures({ summary }: { summary: SuggestionSummary }) {
  const { t } = useWords()
  const reasons = rankedReasons(summary.reasons).map(
    ({ reason, count }): Figure => [reasonText(t, reason), t('unit.count', { count })],
  )
  return (
    <>
      <Figures figures={suggestionFigures(t, summary)} />
      {reasons.length > 0 && (
        <>
          <h4 className="label">{t('suggestion.reasons')}</h4>
          <Figures figures={reasons} label={t('suggestion.reasons')} />
        </>
      )}
    </>
  )
}

function suggestionFigures(t: Translate, summary: SuggestionSummary): Figure[] {
  const { offered, accepted, ignored, methods, similarity, msToSuggestion } = summary
  const count = (value: number) => t('unit.count', { count: value })
  const share = (value: number) =>
    offered === 0
      ? count(value)
      : t('suggestion.figure.share', { count: value, share: percentText(t, value / offered) })
  return [
    [t('suggestion.figure.offered'), count(offered)],
    [t('suggestion.figure.accepted'), share(accepted)],
    ...(accepted === 0
      ? []
      : [[t('suggestion.figure.methods'), t('suggestion.figure.keys', methods)] satisfies Figure]),
    [t('suggestion.figure.ignored'), share(ignored)],
    [t('suggestion.figure.similarity'), similarity === null ? '–' : percentText(t, similarity)],
    [t('suggestion.figure.time'), msToSuggestion === null ? '–' : durationText(t, msToSuggestion)],
    [t('suggestion.figure.promptTokens'), count(summary.promptTokens)],
    [t('suggestion.figure.reusedTokens'), count(summary.reusedTokens)],
    [t('suggestion.figure.completionTokens'), count(summary.completionTokens)],
  ]
}

type LogEntryProps = { event: { at: number; outcome: string }; name: string; facts: readonly string[] }

/** One suggestion, or one that was not made, or one speculation; `name` says how it ended. */
function LogEntry({ event: { at, outcome }, name, facts }: LogEntryProps) {
  const { language } = useWords()
  return (
    <li className="suggestion-event">
      <p className="suggestion-event-head">
        <b className={`suggestion-${outcome}`}>{name}</b>
        <time dateTime={new Date(at).toISOString()}>
          {new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })}
        </time>
      </p>
      <ul className="facts-line small dim">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </li>
  )
}

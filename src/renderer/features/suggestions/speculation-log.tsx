import { useEffect } from 'react'
import type { SpeculationSummary } from '../../../shared/domain/session/speculation.ts'
import { durationText } from '../../../shared/i18n/figure-text.ts'
import { isMessageKey, type MessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import type { LoggedSpeculation } from '../../state/slices/session/speculation-log-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { rankedReasons, reasonText } from './suggestion-words.ts'

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
          {summary && <Figures figures={figures(t, summary)} />}
          <ol aria-label={t('speculation.log')}>
            {events.map((event) => (
              <SpeculationLogEntry key={event.seq} event={event} />
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

function Figures({ figures }: { figures: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="suggestion-figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function figures(t: Translate, summary: SpeculationSummary): [name: string, value: string][] {
  const count = (value: number) => t('unit.count', { count: value })
  const own = (['started', 'finished', 'accepted'] as const).map((name): [string, string] => [
    t(`speculation.figure.${name}`),
    count(summary[name]),
  ])
  const stops = rankedReasons(summary.boundaries).map((one): [string, string] => [
    boundaryText(t, one.reason),
    count(one.count),
  ])
  const tokens = (['promptTokens', 'reusedTokens', 'completionTokens'] as const).map(
    (name): [string, string] => [t(`suggestion.figure.${name}`), count(summary[name])],
  )
  return [...own, ...stops, ...tokens]
}

/** Returns the words for a boundary; a name that another version recorded is shown unchanged. */
function boundaryText(t: Translate, kind: string): string {
  const key = `speculation.boundary.${kind}`
  return isMessageKey(key) ? t(key) : kind
}

function SpeculationLogEntry({ event }: { event: LoggedSpeculation }) {
  const { t, language } = useWords()
  const at = new Date(event.at)
  const outcome: MessageKey = `speculation.outcome.${event.outcome}`
  return (
    <li className="suggestion-event">
      <p className="suggestion-event-head">
        <b className={`suggestion-${event.outcome}`}>{t(outcome)}</b>
        <time dateTime={at.toISOString()}>
          {at.toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })}
        </time>
      </p>
      <ul className="suggestion-event-facts">
        {factsOf(t, event).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </li>
  )
}

function factsOf(t: Translate, event: LoggedSpeculation): string[] {
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

import type { LoggedSuggestion } from '../../state/slices/session/suggestion-log-slice.ts'
import { useWords } from '../../state/store-context.tsx'
import { eventFacts } from './suggestion-words.ts'

/** One suggestion, or one that was not made. */
export function LogEvent({ event }: { event: LoggedSuggestion }) {
  const { t, language } = useWords()
  return (
    <li className="suggestion-event">
      <p className="suggestion-event-head">
        <b className={`suggestion-${event.outcome}`}>{t(`suggestion.outcome.${event.outcome}`)}</b>
        <time dateTime={new Date(event.at).toISOString()}>
          {new Date(event.at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })}
        </time>
      </p>
      <ul className="suggestion-event-facts">
        {eventFacts(t, event).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </li>
  )
}

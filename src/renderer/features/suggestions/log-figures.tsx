import type { SuggestionSummary } from '../../../shared/domain/session/suggestion.ts'
import { durationText, percentText } from '../../../shared/i18n/figure-text.ts'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'
import { useWords } from '../../state/store-context.tsx'
import { rankedReasons, reasonText } from './suggestion-words.ts'

/** All suggestions together, and why there were none. */
export function LogFigures({ summary }: { summary: SuggestionSummary }) {
  const { t } = useWords()
  const reasons = rankedReasons(summary.reasons)
  return (
    <>
      <dl className="suggestion-figures">
        {figures(t, summary).map(([key, value]) => (
          <div key={key}>
            <dt>{t(key)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {reasons.length > 0 && (
        <>
          <h4 className="label">{t('suggestion.reasons')}</h4>
          <dl className="suggestion-figures" aria-label={t('suggestion.reasons')}>
            {reasons.map(({ reason, count }) => (
              <div key={reason}>
                <dt>{reasonText(t, reason)}</dt>
                <dd>{t('unit.count', { count })}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  )
}

function figures(t: Translate, summary: SuggestionSummary): [key: MessageKey, value: string][] {
  const { offered, accepted, ignored, methods, similarity, msToSuggestion } = summary
  const count = (value: number) => t('unit.count', { count: value })
  const share = (value: number) =>
    offered === 0
      ? count(value)
      : t('suggestion.figure.share', { count: value, share: percentText(t, value / offered) })
  return [
    ['suggestion.figure.offered', count(offered)],
    ['suggestion.figure.accepted', share(accepted)],
    ...(accepted === 0
      ? []
      : [['suggestion.figure.methods', t('suggestion.figure.keys', methods)] satisfies [MessageKey, string]]),
    ['suggestion.figure.ignored', share(ignored)],
    ['suggestion.figure.similarity', similarity === null ? '–' : percentText(t, similarity)],
    ['suggestion.figure.time', msToSuggestion === null ? '–' : durationText(t, msToSuggestion)],
    ['suggestion.figure.promptTokens', count(summary.promptTokens)],
    ['suggestion.figure.reusedTokens', count(summary.reusedTokens)],
    ['suggestion.figure.completionTokens', count(summary.completionTokens)],
  ]
}

import type { SuggestionEvent, SuggestionPause } from '../../../shared/domain/suggestion.ts'
import { durationText, percentText } from '../../../shared/i18n/figure-text.ts'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'

/** Why there was no suggestion, in words; a name that another version recorded stands as it is. */
export function reasonText(t: Translate, reason: string): string {
  const key = `suggestion.reason.${reason}`
  return isMessageKey(key) ? t(key) : t('suggestion.reason.other', { name: reason })
}

/** The reasons that came most often first. */
export function rankedReasons(reasons: Record<string, number>): { reason: string; count: number }[] {
  return Object.entries(reasons)
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason))
}

export function pauseText(t: Translate, { reason }: SuggestionPause, model: string): string {
  return t(`suggestion.paused.${reason}`, { model })
}

const keyNames = { tab: 'Tab', enter: 'Enter', right: '→' } as const

/** What is known of one suggestion besides how it ended, each in a few words. */
export function eventFacts(t: Translate, event: SuggestionEvent): string[] {
  const { source, modelName, method, timeMs, similarity, reason, promptTokens, msToSuggestion } = event
  const tokens = { prompt: promptTokens, written: event.completionTokens }
  const facts: (string | null)[] = [
    reason === null ? null : reasonText(t, reason),
    method === null ? null : keyNames[method],
    timeMs === null ? null : t('suggestion.event.after', { seconds: durationText(t, timeMs) }),
    similarity === null ? null : t('suggestion.event.likeness', { share: percentText(t, similarity) }),
    source === null ? null : source === 'model' ? modelName : t(`suggestion.source.${source}`),
    source === 'model' && event.length > 0
      ? t('suggestion.event.made', { seconds: durationText(t, msToSuggestion) })
      : null,
    promptTokens === 0
      ? null
      : event.reusedTokens === null
        ? t('requests.tokensUnknown', tokens)
        : t('requests.tokens', { ...tokens, reused: event.reusedTokens }),
  ]
  return facts.filter((fact) => fact !== null && fact !== '') as string[]
}

import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { SuggestionEvent, SuggestionPause } from '../../../shared/domain/session/suggestion.ts'
import { durationText, percentText } from '../../../shared/i18n/figure-text.ts'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import { isApart } from '../../../shared/suggestion/single-slot.ts'

/** Returns why there was no suggestion, in words; a name that another version recorded is shown unchanged. */
export function reasonText(t: Translate, reason: string): string {
  const key = `suggestion.reason.${reason}`
  return isMessageKey(key) ? t(key) : t('suggestion.reason.other', { name: reason })
}

/** Returns the reasons, the most frequent first. */
export function rankedReasons(reasons: Record<string, number>): { reason: string; count: number }[] {
  return Object.entries(reasons)
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason))
}

export function pauseText(t: Translate, { reason }: SuggestionPause, model: string): string {
  return t(`suggestion.paused.${reason}`, { model })
}

/** Says whether the fast model makes the suggestions, by the host's own rule. */
export function modelHint(
  t: Translate,
  { main, fast }: { main: ModelProfile | undefined; fast: ModelProfile | undefined },
): string {
  if (main === undefined || fast === undefined || main.id === fast.id) return t('suggestion.model.hint')
  return t(isApart(main, fast) ? 'suggestion.model.apart' : 'suggestion.model.notApart', { name: fast.name })
}

const keyNames = { tab: 'Tab', enter: 'Enter', right: '→' } as const

/** Returns the facts of one suggestion besides how it ended, each in a few words. */
export function eventFacts(t: Translate, event: SuggestionEvent): string[] {
  const { source, length } = event
  const isMade = source === 'model' && length > 0
  return [
    ...known(event.reason, (reason) => reasonText(t, reason)),
    ...known(event.method, (method) => keyNames[method]),
    ...known(event.timeMs, (ms) => t('suggestion.event.after', { seconds: durationText(t, ms) })),
    ...known(event.firstKeystrokeMs, (ms) =>
      t('suggestion.event.keystroke', { seconds: durationText(t, ms) }),
    ),
    ...(event.wasFocused === false ? [t('suggestion.event.unfocused')] : []),
    ...known(event.similarity, (share) => t('suggestion.event.likeness', { share: percentText(t, share) })),
    ...(length > 0 ? [t('suggestion.event.length', { count: length })] : []),
    ...known(source, (one) => (one === 'model' ? event.modelName : t(`suggestion.source.${one}`))),
    ...(isMade ? [t('suggestion.event.made', { seconds: durationText(t, event.msToSuggestion) })] : []),
    ...(event.promptTokens > 0 ? [tokensText(t, event)] : []),
  ].filter((fact) => fact !== '')
}

function known<T>(value: T | null, words: (value: T) => string): string[] {
  return value === null ? [] : [words(value)]
}

function tokensText(t: Translate, { promptTokens, reusedTokens, completionTokens }: SuggestionEvent): string {
  const values = { prompt: promptTokens, written: completionTokens }
  return reusedTokens === null
    ? t('requests.tokensUnknown', values)
    : t('requests.tokens', { ...values, reused: reusedTokens })
}

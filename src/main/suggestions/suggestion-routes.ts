import type { ModelProfile, ModelRole } from '../../shared/domain/model/model-profile.ts'
import type { SuggestionLack } from '../../shared/domain/session/suggestion.ts'
import { isApart, isSingleSlot } from '../../shared/suggestion/single-slot.ts'
import type { SuggestionAsk } from '../agent/model/agent-model.ts'

/** The models that could be asked. Shape: `fast` null where none is chosen. */
export type SuggestionModels = { main: ModelProfile; fast: ModelProfile | null }

export type SuggestionRoute = { role: ModelRole; profileId: string; way: SuggestionAsk['way'] }

/**
 * Whom to ask and how, best first; the next one is for where the one before has nothing to offer. Empty: `lack`
 * says why.
 *
 * The fast model, where it costs the main one nothing; then the main one behind the conversation that it has read
 * already; then, on a service that many share, the last entries alone.
 * Source: `docs/decisions/suggestions.md`, "When" and "How".
 */
export function suggestionRoutes(
  { main, fast }: SuggestionModels,
  { sharesCache, pause }: { sharesCache: boolean; pause: (profileId: string) => SuggestionLack | null },
): { ways: SuggestionRoute[]; lack: SuggestionLack | null } {
  const quick: SuggestionRoute[] =
    fast !== null && isApart(main, fast) && pause(fast.id) === null
      ? [{ role: 'fast', profileId: fast.id, way: 'standalone' }]
      : []
  const lack = pause(main.id) ?? (isSingleSlot(main) && !sharesCache ? 'cache_sharing_off' : null)
  if (lack !== null) return { ways: quick, lack }
  const ofMain = (way: SuggestionAsk['way']): SuggestionRoute => ({ role: 'main', profileId: main.id, way })
  const ways = [
    ...quick,
    ...(sharesCache ? [ofMain('forked')] : []),
    ...(isSingleSlot(main) ? [] : [ofMain('standalone')]),
  ]
  return { ways, lack }
}

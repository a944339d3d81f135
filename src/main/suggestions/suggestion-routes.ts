import type { ModelProfile, ModelRole } from '../../shared/domain/model/model-profile.ts'
import type { SuggestionLack } from '../../shared/domain/session/suggestion.ts'
import { isApart, isSingleSlot } from '../../shared/suggestion/single-slot.ts'
import type { SuggestionAsk } from '../agent/model/agent-model.ts'
import type { ModelService } from '../models/model-service.ts'
import type { SettingsService } from '../settings/settings-service.ts'

/** The models that can make suggestions. Shape: `fast` null where none is chosen. */
export type SuggestionModels = { main: ModelProfile; fast: ModelProfile | null }

/** Returns the models that are chosen now. Errors: `model/none`. */
export async function suggestionModels(
  {
    models,
    settings,
  }: { models: Pick<ModelService, 'active' | 'profiles'>; settings: Pick<SettingsService, 'get'> },
  signal: AbortSignal,
): Promise<SuggestionModels> {
  const main = (await models.active(signal, 'main', 'background')).profile
  const fast = models.profiles().find(({ id }) => id === settings.get().fastProfileId) ?? null
  return { main, fast }
}

export type SuggestionRoute = { role: ModelRole; profileId: string; strategy: SuggestionAsk['strategy'] }

/**
 * Returns which model to ask and how, best first; the next route is used where the one before gives nothing. Empty:
 * `lack` says why.
 *
 * First the fast model, where it costs the main one nothing; then the main one behind the conversation that it has
 * read already; then, on a service that many share, the main one with the last entries alone.
 * Source: `docs/decisions/suggestions.md`, "When" and "How".
 */
export function suggestionRoutes(
  { main, fast }: SuggestionModels,
  { sharesCache, pause }: { sharesCache: boolean; pause: (profileId: string) => SuggestionLack | null },
): { routes: SuggestionRoute[]; lack: SuggestionLack | null } {
  const quick: SuggestionRoute[] =
    fast !== null && isApart(main, fast) && pause(fast.id) === null
      ? [{ role: 'fast', profileId: fast.id, strategy: 'standalone' }]
      : []
  const lack = pause(main.id) ?? (isSingleSlot(main) && !sharesCache ? 'cache_sharing_off' : null)
  if (lack !== null) return { routes: quick, lack }
  const ofMain = (strategy: SuggestionAsk['strategy']): SuggestionRoute => ({
    role: 'main',
    profileId: main.id,
    strategy,
  })
  const routes = [
    ...quick,
    ...(sharesCache ? [ofMain('forked')] : []),
    ...(isSingleSlot(main) ? [] : [ofMain('standalone')]),
  ]
  return { routes, lack }
}

import type { ModelProfile, ModelRole } from '../../shared/domain/model/model-profile.ts'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import type { SuggestionLack } from '../../shared/domain/session/suggestion.ts'
import { isApart, isSingleSlot } from '../../shared/suggestion/single-slot.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { SuggestionAnswer, SuggestionAsk } from '../agent/model/agent-model.ts'
import type { Clock, Log } from '../deps.ts'
import type { ModelService } from '../models/model-service.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { SuggestionCost } from './suggestion-cost.ts'
import type { FilterReason } from './suggestion-filter.ts'

/** Units: ms. Source: `docs/decisions/suggestions.md`, "How". */
const suggestionTimeoutMs = 10_000

/** A fast model that fails later than this counts as timed out. Units: ms. */
const patienceMs = 2_000

export type GenerationInput = {
  models: SuggestionModels
  /** `enableCacheSharing`. */
  sharesCache: boolean
  /** The model's last answer. */
  reply: string
  ask(ask: SuggestionAsk, signal: AbortSignal): Promise<SuggestionAnswer>
}

/**
 * Shape: a text, or why there is none; both null after an abort. `run_active`: the model was needed elsewhere.
 * `usage` is the cost, also without a text.
 */
export type Generated = {
  text: string | null
  reason: SuggestionLack | FilterReason | 'run_active' | null
  usage: ModelUsage | null
  modelName: string
}

export type SuggestionGeneratorDeps = {
  clock: Clock
  log: Log
  cost: SuggestionCost
  filterReason: (text: string) => FilterReason | null
}

type Answered = Extract<SuggestionAnswer, { kind: 'answer' }>

/** Predicts the next input: behind the conversation where that is cheap, else from its last entries. */
export async function generateSuggestion(
  deps: SuggestionGeneratorDeps,
  input: GenerationInput,
  signal: AbortSignal,
): Promise<Generated> {
  const { cost } = deps
  if (input.reply.trim() === '') return nothing('empty')
  const { sharesCache } = input
  const { routes, lack } = suggestionRoutes(input.models, {
    sharesCache,
    pause: (profileId) => cost.pause(profileId),
  })
  const time = timeLimit(deps.clock, signal)
  let reason: Generated['reason'] = lack
  try {
    for (const strategy of routes) {
      const answer = await ask(deps, input, strategy, { user: signal, time: time.signal })
      if (!('lack' in answer)) return answer
      reason = lack ?? answer.lack
    }
    return nothing(reason)
  } finally {
    time.end()
  }
}

async function ask(
  deps: SuggestionGeneratorDeps,
  input: GenerationInput,
  { role, profileId, strategy }: SuggestionRoute,
  signals: { user: AbortSignal; time: AbortSignal },
): Promise<Generated | { lack: SuggestionLack }> {
  const { clock, cost, log } = deps
  const from = clock.now()
  let answer: SuggestionAnswer | null = null
  try {
    answer = await input.ask({ role, strategy, ...cost.manner(profileId) }, signals.time)
  } catch (error) {
    if (!signals.time.aborted) {
      // The user did not ask for it: a failure is logged, never shown; a second model may be gone at any time.
      log.write('info', 'suggestion.failed', { role, error: String(error) })
      // Waiting for a model that does not answer would delay the main model every time.
      if (role === 'fast' && clock.now() - from > patienceMs) cost.timedOut(profileId)
      return { lack: 'error' }
    }
  }
  if (answer?.kind === 'lack') return { lack: answer.lack }
  const spent = { usage: answer?.usage ?? null, modelName: answer?.modelName ?? '' }
  if (signals.user.aborted) return { ...nothing(null), ...spent }
  if (answer === null || (signals.time.aborted && answer.end === 'stopped')) {
    cost.timedOut(profileId)
    return { ...nothing('timeout'), ...spent }
  }
  if (answer.end === 'stopped') return { ...nothing('run_active'), ...spent }
  const { usage, expectedTokens } = answer
  const reusedTokens = usage === null || usage.isReuseEstimated ? null : usage.reusedTokens
  cost.answered(profileId, { expectedTokens, reusedTokens, ms: clock.now() - from })
  return { ...read(answer, strategy, deps.filterReason), ...spent }
}

function nothing(reason: Generated['reason']): Generated {
  return { text: null, reason, usage: null, modelName: '' }
}

function read(
  answer: Answered,
  strategy: SuggestionAsk['strategy'],
  filterReason: (text: string) => FilterReason | null,
): Pick<Generated, 'text' | 'reason'> {
  if (answer.end === 'cut') return { text: null, reason: 'cut' }
  const said = strategy === 'standalone' ? suggestionIn(answer.text, answer.isConstrained) : answer.text
  const text = said.trim()
  if (text === '') return { text: null, reason: 'empty' }
  const reason = filterReason(text)
  return reason === null ? { text, reason } : { text: null, reason }
}

/** Returns the suggestion in an answer. Where the output was not constrained, plain text is as good as JSON. */
function suggestionIn(text: string, isConstrained: boolean): string {
  const value = parseJson(text.trim().replace(/^```(?:json)?|```$/g, ''))
  if (value === undefined) return isConstrained ? '' : text
  if (typeof value !== 'object' || value === null || !('suggestion' in value)) return ''
  return typeof value.suggestion === 'string' ? value.suggestion : ''
}

/** Returns a signal that aborts with `signal`, or when the suggestion takes too long. */
function timeLimit(clock: Clock, signal: AbortSignal): { signal: AbortSignal; end(): void } {
  const late = new AbortController()
  const timer = clock.setTimeout(
    () => late.abort(new Error('the suggestion took too long')),
    suggestionTimeoutMs,
  )
  return { signal: AbortSignal.any([signal, late.signal]), end: () => timer.cancel() }
}

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

type SuggestionRoute = { role: ModelRole; profileId: string; strategy: SuggestionAsk['strategy'] }

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

import type { ModelUsage } from '../../shared/domain/model-status.ts'
import type { SuggestionLack } from '../../shared/domain/suggestion.ts'
import type { SuggestionAnswer, SuggestionAsk } from '../agent/model/agent-model.ts'
import type { Clock, Log } from '../deps.ts'
import type { SuggestionCost } from './suggestion-cost.ts'
import type { FilterReason } from './suggestion-filter.ts'

/** Units: ms. Source: `../shared/spec/5-suggestions.md`, "How". */
export const suggestionTimeoutMs = 10_000

export type GenerationInput = {
  profileId: string
  /** One request at a time, on this machine or one of the user's: every token read again is felt. */
  isSingleSlot: boolean
  /** `enableCacheSharing`. */
  sharesCache: boolean
  /** The model's last answer. */
  reply: string
  ask(ask: SuggestionAsk, signal: AbortSignal): Promise<SuggestionAnswer>
}

/** Shape: a text, or why there is none; both null after an abort. */
export type Generated = {
  text: string | null
  reason: SuggestionLack | FilterReason | null
  usage: ModelUsage | null
  modelName: string
}

export type SuggestionGeneratorDeps = {
  clock: Clock
  log: Log
  cost: SuggestionCost
  filterReason: (text: string) => FilterReason | null
}

/** Predicts the next input: behind the conversation where that is cheap, else from its last entries. */
export async function generateSuggestion(
  deps: SuggestionGeneratorDeps,
  input: GenerationInput,
  signal: AbortSignal,
): Promise<Generated> {
  const { cost, filterReason } = deps
  const { profileId, isSingleSlot } = input
  const nothing = (reason: Generated['reason']): Generated => ({
    text: null,
    reason,
    usage: null,
    modelName: '',
  })
  if (input.reply.trim() === '') return nothing('empty')
  const paused = cost.pause(profileId)
  if (paused !== null) return nothing(paused)
  if (isSingleSlot && !input.sharesCache) return nothing('cache_sharing_off')

  const time = timeLimit(deps.clock, signal)
  const from = deps.clock.now()
  try {
    const manner = cost.manner(profileId)
    const first = input.sharesCache ? 'forked' : 'standalone'
    let way: SuggestionAsk['way'] = first
    let answer = await input.ask({ way, ...manner }, time.signal)
    if (answer.kind === 'lack' && way === 'forked' && !isSingleSlot) {
      way = 'standalone'
      answer = await input.ask({ way, ...manner }, time.signal)
    }
    if (answer.kind === 'lack') return nothing(answer.lack)
    const { usage, modelName } = answer
    const reusedTokens = usage === null || usage.isReuseEstimated ? null : usage.reusedTokens
    const { expectedTokens } = answer
    cost.answered(profileId, { expectedTokens, reusedTokens, ms: deps.clock.now() - from })
    return { ...read(answer, way, filterReason), usage, modelName }
  } catch (error) {
    if (signal.aborted) return nothing(null)
    if (time.signal.aborted) {
      cost.timedOut(profileId)
      return nothing('timeout')
    }
    // Nobody asked for it: a failure is recorded, never shown.
    deps.log.write('info', 'suggestion.failed', { error: String(error) })
    return nothing('error')
  } finally {
    time.end()
  }
}

function read(
  answer: Extract<SuggestionAnswer, { kind: 'answer' }>,
  way: SuggestionAsk['way'],
  filterReason: (text: string) => FilterReason | null,
): Pick<Generated, 'text' | 'reason'> {
  if (answer.end === 'cut') return { text: null, reason: 'cut' }
  const said = way === 'standalone' ? suggestionIn(answer.text, answer.isConstrained) : answer.text
  const text = said.trim()
  if (text === '') return { text: null, reason: 'empty' }
  const reason = filterReason(text)
  return reason === null ? { text, reason } : { text: null, reason }
}

/** Where the output was free, a plain text is as good as JSON. */
function suggestionIn(text: string, isConstrained: boolean): string {
  const json = text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, '')
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null || !('suggestion' in value)) return ''
    return typeof value.suggestion === 'string' ? value.suggestion : ''
  } catch {
    return isConstrained ? '' : text
  }
}

/** Ends with `signal`, or by itself when it has taken too long. */
function timeLimit(clock: Clock, signal: AbortSignal): { signal: AbortSignal; end(): void } {
  const late = new AbortController()
  const timer = clock.setTimeout(
    () => late.abort(new Error('the suggestion took too long')),
    suggestionTimeoutMs,
  )
  return { signal: AbortSignal.any([signal, late.signal]), end: () => timer.cancel() }
}

import type { TurnEnd } from '../../shared/domain/session/agent-state.ts'
import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import { requestStats, type SessionEvent } from '../../shared/domain/session/session.ts'
import {
  newSuggestionEvent,
  noSuggestion,
  type SuggestionEvent,
  type SuggestionOutcome,
  SuggestionPause,
  type SuggestionState,
} from '../../shared/domain/session/suggestion.ts'
import { textSimilarity } from '../../shared/text/difference/text-similarity.ts'
import { countGraphemes } from '../../shared/text/graphemes.ts'
import type { AgentModel, PreReading } from '../agent/model/agent-model.ts'
import type { Random } from '../deps.ts'
import { type Broadcast, createBroadcast } from '../platform/broadcast.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { GhostHearer } from '../speculation/speculation-service.ts'
import type { SuggestionRepository } from '../store/sessions/suggestion-repository.ts'
import { PromptPrefetch } from './prompt-prefetch.ts'
import { SuggestionChoices } from './suggestion-choices.ts'
import {
  type Generated,
  generateSuggestion,
  type SuggestionGeneratorDeps,
  type SuggestionModels,
} from './suggestion-generator.ts'
import {
  closedGuard,
  lastReply,
  recentItems,
  sessionFacts,
  type WatchedSession,
} from './suggestion-guards.ts'
import type { Tokenless, TokenlessInput } from './tokenless-suggestions.ts'

/** A session in memory, with the requests to its model. */
export type SuggestionPlayer = {
  session: WatchedSession & Pick<LiveSession, 'sessionId' | 'workId' | 'language' | 'log' | 'count'>
  suggest: AgentModel['suggest']
  /**
   * Has the model read the first request that `text` would cause if sent now. Null: this would save nothing.
   */
  preRead(text: string, signal: AbortSignal): Promise<PreReading | null>
}

export type SuggestionCoordinatorDeps = SuggestionGeneratorDeps & {
  random: Random
  events: Pick<SuggestionRepository, 'add' | 'change'>
  tokenless: (input: TokenlessInput) => Tokenless[]
  switches: WorkSettingsService['switches']
  /** Errors: `model/none`. */
  models(signal: AbortSignal): Promise<SuggestionModels>
  speculation?(sessionId: string): GhostHearer
}

/** Time in which the next message is compared with a suggestion. Units: ms. */
const comparedMs = 2 * 60_000

type Offered = {
  suggestionId: string
  text: string
  /** True once a window has reported the outcome. */
  isDecided: boolean
  endedAt: number | null
  isCompared: boolean
}

/** A suggestion that a speculation is already making, which counts its tokens itself. */
type Begun = Promise<string | null> | null
const unspent = { reason: null, usage: null, modelName: '' }

/** The suggestions of one session in memory: made when a turn has ended, withdrawn when a guard closes. */
export class SuggestionCoordinator {
  readonly #deps: SuggestionCoordinatorDeps
  readonly #player: SuggestionPlayer
  readonly #changes: Broadcast<SuggestionState> = createBroadcast()
  readonly #windows = new Set<{ isAttended: boolean }>()
  #state: SuggestionState = noSuggestion
  #making: AbortController | null = null
  /** The suggestion that was shown last. */
  #offered: Offered | null = null
  /** The choices after the turn. Only the first one becomes a speculation. */
  readonly #choices = new SuggestionChoices()
  /** State to show again once no guard is closed: a reloaded window finds what it left. Null: nothing was withdrawn. */
  #left: SuggestionState | null = null
  #made: Promise<void> = Promise.resolve()
  readonly #prefetch: PromptPrefetch
  #isClosed = false
  /** How the last turn ended; null before the first turn, and after messages were taken back. */
  #ended: TurnEnd | null = null

  constructor(deps: SuggestionCoordinatorDeps, player: SuggestionPlayer) {
    this.#deps = deps
    this.#player = player
    this.#prefetch = new PromptPrefetch({
      ...deps,
      sharesCache: () => deps.switches(player.session.workId).enableCacheSharing,
      preRead: player.preRead,
      count: (usage) => player.session.count(requestStats(usage)),
    })
  }

  async *watch(isAttended: boolean, signal: AbortSignal): AsyncGenerator<SuggestionState, void, void> {
    const window = { isAttended }
    this.#windows.add(window)
    try {
      this.revalidate()
      const next = this.#changes.subscribe(signal)
      yield this.#state
      yield* next
    } finally {
      this.#windows.delete(window)
      this.revalidate()
    }
  }

  heard(event: SessionEvent): void {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'output') return
    if (event.type === 'cut') this.#ended = null
    if (event.type === 'item' && event.item.kind === 'user') this.#compare(segmentsText(event.item.segments))
    this.revalidate()
  }

  /** Makes the next suggestion at the end of a turn, unless a guard forbids it. */
  turnEnded(how: TurnEnd): void {
    this.#ended = how
    this.#revise(true)
  }

  /** Checks the guards again: a closed guard withdraws the suggestion. */
  revalidate(): void {
    this.#revise(false)
  }

  #revise(hasEnded: boolean): void {
    if (this.#isClosed) return
    const { session } = this.#player
    if (session.isWorking) {
      this.#left = noSuggestion
      this.#withdraw('run_active')
      return
    }
    const atRest = {
      ...sessionFacts(session),
      isOn: this.#deps.switches(session.workId).enableFollowupSuggestions,
      ended: this.#ended,
    }
    const attendedWindows = [...this.#windows].filter(({ isAttended }) => isAttended).length
    const guard = closedGuard({ ...atRest, windows: this.#windows.size, attendedWindows })
    // The guard that would be closed if a person were watching.
    const otherGuard = closedGuard({ ...atRest, windows: 1, attendedWindows: 1 })
    if (hasEnded || otherGuard !== null) this.#left = noSuggestion
    else if (guard !== null) this.#left ??= this.#state
    if (guard !== null) {
      this.#withdraw(guard)
      if (hasEnded) this.#record(this.#deps.random.id(), { outcome: 'suppressed', reason: guard })
    } else if (hasEnded) this.#begin()
    else if (this.#left !== null) this.#return(this.#left)
  }

  /** Records an outcome. Returns false where another window was first, or the suggestion is no longer there. */
  outcome(suggestionId: string, settled: SuggestionOutcome): boolean {
    const { outcome, method, timeMs, firstKeystrokeMs, wasFocused } = settled
    const offered = this.#offered
    if (offered?.suggestionId !== suggestionId || offered.isDecided) return false
    offered.isDecided = true
    offered.endedAt = this.#deps.clock.now()
    const how = outcome === 'accepted' ? method : null
    this.#deps.events.change(suggestionId, {
      outcome,
      method: how,
      timeMs,
      reason: null,
      firstKeystrokeMs,
      wasFocused,
    })
    this.#making?.abort('superseded')
    // An accepted suggestion is likely to be sent: reading it goes on, unless another one is being read.
    if (outcome === 'ignored' || this.#choices.indexOf(suggestionId) > 0) {
      this.#prefetch.end()
      this.#speculation?.withdrawn('ignored')
    }
    if (this.#state.suggestionId === suggestionId) this.#become(noSuggestion)
    return true
  }

  /**
   * Shows the neighbour of the suggestion that is shown (`suggestionId`, or another one of the same turn); after the
   * last one the model's own, where it was not asked yet. Does nothing where none of them is shown.
   */
  other(suggestionId: string, step: 1 | -1): void {
    // A second press may come before its window has received the result of the first one.
    const at = this.#choices.indexOf(this.#state.suggestionId)
    if (at < 0 || this.#choices.indexOf(suggestionId) < 0) return
    const beside = this.#choices.beside(at, step)
    if ('reply' in beside) this.#startMaking(this.#deps.random.id(), beside.reply)
    this.#show('reply' in beside ? at : beside.index)
  }

  /** Clears the notice of a pause for cost, which has ended. */
  resumed(): void {
    if (this.#left !== null && isPause(this.#left)) this.#left = noSuggestion
    if (isPause(this.#state)) this.#become(noSuggestion)
  }

  /** Ends the making of suggestions, and waits for it. */
  async close(): Promise<void> {
    this.#withdraw('no_window')
    this.#isClosed = true
    this.#changes.end()
    await Promise.all([this.#made, this.#prefetch.idle()])
  }

  get #speculation(): GhostHearer | undefined {
    return this.#deps.speculation?.(this.#player.session.sessionId)
  }

  #begin(): void {
    // The next suggestion is known when the acceptance is over.
    if (this.#speculation?.isAccepting === true) return
    this.#left = null
    this.#making?.abort()
    this.#prefetch.end()
    this.#choices.begin([], null)
    this.#become(noSuggestion)
    const { session } = this.#player
    const suggestionId = this.#deps.random.id()
    const next = this.#speculation?.takeNext() ?? null
    const items = recentItems(session)
    const reply = lastReply(items)
    const { language, turn, state } = session
    const free = () =>
      this.#deps
        .tokenless({ reply, items, turn, todos: state.plan?.todos ?? [], language })
        .filter(({ text }) => this.#deps.filterReason(text) === null)
    const made = typeof next === 'string' ? [{ text: next, source: 'model' as const }] : []
    const found = next === null ? free() : made
    const withIds = found.map((one, at) => {
      return { ...one, suggestionId: at === 0 ? suggestionId : this.#deps.random.id(), isTold: false }
    })
    this.#choices.begin(withIds, next === null ? reply : null)
    const first = this.#choices.at(0)
    if (first === undefined) this.#startMaking(suggestionId, reply, typeof next === 'string' ? null : next)
    else {
      this.#show(0)
      this.#prepare(suggestionId, first.text)
    }
  }

  #startMaking(suggestionId: string, reply: string, begun: Begun = null): void {
    const making = new AbortController()
    this.#making = making
    this.#made = this.#make(suggestionId, reply, making, begun).catch((error: unknown) => {
      this.#deps.log.bug(error, 'suggestion.make')
    })
  }

  async #make(suggestionId: string, reply: string, making: AbortController, begun: Begun): Promise<void> {
    const from = this.#deps.clock.now()
    const next = await begun
    const made = next === null ? await this.#generate(reply, making.signal) : { ...unspent, text: next }
    if (made.usage !== null) this.#player.session.count(requestStats(made.usage))
    if (this.#making === making) this.#making = null
    const { usage, modelName, text } = made
    const isRepeated = this.#choices.has(text)
    const reason = isRepeated ? 'repeated' : made.reason
    const spent = {
      source: 'model' as const,
      modelName,
      promptTokens: usage?.promptTokens ?? 0,
      reusedTokens: usage?.reusedTokens ?? null,
      completionTokens: usage?.completionTokens ?? 0,
      msToSuggestion: this.#deps.clock.now() - from,
    }
    if (making.signal.aborted) {
      this.#record(suggestionId, { ...spent, outcome: 'aborted', reason: String(making.signal.reason) })
    } else if (text === null || isRepeated) {
      this.#record(suggestionId, { ...spent, outcome: 'suppressed', reason })
      if (this.#choices.length === 0) this.#become({ ...noSuggestion, suppressed: reason })
      else this.#show(this.#choices.indexOf(this.#state.suggestionId))
    } else {
      this.#record(suggestionId, { ...spent, length: countGraphemes(text) })
      this.#choices.add({ suggestionId, text, source: 'model', isTold: true })
      this.#show(this.#choices.length - 1)
      if (this.#choices.length === 1) this.#prepare(suggestionId, text)
    }
  }

  async #generate(reply: string, signal: AbortSignal): Promise<Generated> {
    const { session, suggest } = this.#player
    const { sessionId, language, turn, log, state, workId } = session
    try {
      const models = await this.#deps.models(signal)
      return await generateSuggestion(
        this.#deps,
        {
          models,
          sharesCache: this.#deps.switches(workId).enableCacheSharing,
          reply,
          ask: (ask, end) => suggest({ sessionId, language, turn, log, state }, ask, end),
        },
        signal,
      )
    } catch (error) {
      this.#deps.log.write('info', 'suggestion.no-model', { error: String(error) })
      return { text: null, reason: 'error', usage: null, modelName: '' }
    }
  }

  #show(at: number): void {
    const choice = this.#choices.at(at)
    if (choice === undefined) return
    const { suggestionId, text, source } = choice
    if (!choice.isTold) this.#record(suggestionId, { source, length: countGraphemes(text) })
    choice.isTold = true
    if (this.#offered?.suggestionId !== suggestionId)
      this.#offered = { suggestionId, text, isDecided: false, endedAt: null, isCompared: false }
    const place = this.#choices.placeOf(at, this.#making !== null)
    this.#become({ suggestionId, text, source, suppressed: null, ...(place !== null && { place }) })
  }

  /** Starts a speculation for a suggestion; where none starts, has the model read it in advance. */
  #prepare(suggestionId: string, text: string): void {
    const played = this.#speculation?.offered(suggestionId, text)
    if (played === undefined) this.#prefetch.begin(text)
    else
      void played.then((isPlayed) => {
        if (!isPlayed && this.#state.suggestionId === suggestionId) this.#prefetch.begin(text)
      })
  }

  /** Shows a withdrawn state again: the model is not asked again, and the suggestion counts once. */
  #return(state: SuggestionState): void {
    this.#left = null
    if (state.suggestionId !== null) {
      if (this.#offered !== null) this.#offered.endedAt = null
      this.#deps.events.change(state.suggestionId, { outcome: 'offered', reason: null })
    }
    const at = this.#choices.indexOf(state.suggestionId)
    if (at < 0) this.#become(state)
    else this.#show(at)
    const { suggestionId, text } = state
    if (at <= 0 && suggestionId !== null && text !== null) void this.#speculation?.offered(suggestionId, text)
  }

  #withdraw(reason: string): void {
    this.#making?.abort(reason)
    this.#making = null
    this.#prefetch.end()
    // The speculation belongs to the session: a reloaded window finds it again.
    if (reason !== 'no_window') this.#speculation?.withdrawn(reason)
    const { suggestionId } = this.#state
    if (suggestionId !== null) {
      if (this.#offered !== null) this.#offered.endedAt = this.#deps.clock.now()
      this.#deps.events.change(suggestionId, { outcome: 'aborted', reason })
    }
    if (suggestionId !== null || this.#state.suppressed !== reason)
      this.#become({ ...noSuggestion, suppressed: reason })
  }

  /** Records how similar the user's next message is to the last suggestion. */
  #compare(message: string): void {
    const offered = this.#offered
    if (offered === null || offered.isCompared) return
    offered.isCompared = true
    const since = this.#deps.clock.now() - (offered.endedAt ?? this.#deps.clock.now())
    if (since <= comparedMs)
      this.#deps.events.change(offered.suggestionId, { similarity: textSimilarity(offered.text, message) })
  }

  #become(state: SuggestionState): void {
    this.#state = state
    this.#changes.send(state)
  }

  #record(suggestionId: string, event: Partial<SuggestionEvent>): void {
    const { sessionId } = this.#player.session
    this.#deps.events.add(
      newSuggestionEvent({ suggestionId, sessionId, at: this.#deps.clock.now(), ...event }),
    )
  }
}

function isPause({ suppressed }: SuggestionState): boolean {
  return SuggestionPause.shape.reason.safeParse(suppressed).success
}

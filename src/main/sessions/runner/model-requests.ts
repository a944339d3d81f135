import type { SessionActivity } from '../../../shared/domain/session/session.ts'
import type { AnswerItem } from '../../../shared/domain/session/session-item.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { AgentEffect, AgentEvent } from '../../agent/agent-events.ts'
import { isDeferral, isReviewedReply } from '../../agent/direct-calls.ts'
import type { RequestContext, RequestHooks } from '../../agent/model/agent-model.ts'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import type { ConversationWriter } from './conversation-writer.ts'
import type { RunnerDeps } from './runner-deps.ts'
import type { ToolCalls } from './tool-calls.ts'
import { completeDecision, firstLine, turnReferred, WrittenAnswer, writeDecision } from './written-answer.ts'

type Phase = SessionActivity['phase']
type EffectOf<T extends AgentEffect['type']> = Extract<AgentEffect, { type: T }>

type TurnRequest = EffectOf<'model.decide' | 'model.reply' | 'model.work'>
/** Shape: `opening` is a question beside the turn and what it attaches. */
type ModelRequest = TurnRequest | { type: 'beside'; opening: readonly PromptEntry[] }

/** How a request shows in the window. `purpose`: of its answer; null for one that is not shown. */
const shownAs: Record<ModelRequest['type'], { phase: Phase; purpose: AnswerItem['purpose'] | null }> = {
  'model.decide': { phase: 'deciding', purpose: null },
  'model.reply': { phase: 'writing', purpose: 'reply' },
  'model.work': { phase: 'calling', purpose: 'work' },
  beside: { phase: 'writing', purpose: 'beside' },
}

/** The inputs of a request. */
type Given = { context: RequestContext; hooks: RequestHooks; signal: AbortSignal; answer: WrittenAnswer }

type ModelRequestsEvents = {
  dispatch(event: AgentEvent): void
  failed(error: unknown): void
  ended(): void
}

/** Most items that are searched for an earlier item, such as the end of the previous conversation. */
const mostItems = 500

/** A compaction that leaves more than this share of the prompt was not worth its time. */
const usefulShare = 0.9

/** Asks the model, one request after the other, and keeps what it answers. */
export class ModelRequests {
  readonly #deps: RunnerDeps
  readonly #writer: ConversationWriter
  readonly #calls: ToolCalls
  readonly #events: ModelRequestsEvents
  readonly #running = new Set<AbortController>()
  /** The machine has at most one request open. */
  #open: { requestId: number; abort: AbortController } | null = null
  /** The answer that is the reply where the folder's checks find nothing new. */
  #checked: { turn: number; answer: WrittenAnswer } | null = null
  #hasInstructions = false
  #hasOffered = false
  /** The turn in which a compaction has freed next to nothing: none is tried again before the next message. */
  #fullTurn: number | null = null
  /** Added servers that were reported as late. */
  readonly #lateServers = new Set<string>()
  #isClosed = false

  constructor(deps: RunnerDeps, writer: ConversationWriter, calls: ToolCalls, events: ModelRequestsEvents) {
    this.#deps = deps
    this.#writer = writer
    this.#calls = calls
    this.#events = events
  }

  get isBusy(): boolean {
    return this.#running.size > 0
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Makes a request when everything before it is done, and sends its result to the machine as an event. */
  readonly ask = (request: ModelRequest): void => {
    if (this.#isClosed) return
    const abort = new AbortController()
    const { signal } = abort
    this.#running.add(abort)
    if (request.type !== 'beside') {
      this.#open = { requestId: request.requestId, abort }
      if (this.#checked?.turn === this.#deps.session.turn) this.#checked.answer.become('work')
      this.#checked = null
    }
    const { phase, purpose } = shownAs[request.type]
    void this.#writer.inOrder(async () => {
      const answer = new WrittenAnswer(this.#deps.session, purpose)
      const isTurn = request.type !== 'beside'
      const make = async (): Promise<AgentEvent | null> => {
        const given = { context: this.#context(), hooks: this.#hooks(phase, answer), signal, answer }
        if (request.type === 'model.reply') return this.#reply(request, given)
        if (request.type === 'beside') return this.#beside(request.opening, given)
        if (request.type === 'model.work') return this.#work(request, given)
        const { requestId } = request
        if (!(await this.#deps.model.isDirect(given.context, signal))) return this.#decide(requestId, given)
        // The model decides by its calls, and is asked for those.
        answer.become('work')
        this.#events.dispatch({ type: 'model.direct', requestId })
        return this.#work({ requestId, step: this.#deps.session.state.step }, given)
      }
      try {
        if (signal.aborted) return
        await this.#prepare(isTurn, signal)
        const event = await make().catch(async (error: unknown) => {
          if (!isTurn || !(await this.#hasMadeRoom(error, signal))) throw error
          return make()
        })
        this.#deps.heardModel(null)
        if (event === null || signal.aborted) return
        this.#events.dispatch(event)
        // An answer without calls is the reply only where the turn ends with it.
        const { status, turn } = this.#deps.session.state
        if (event.type !== 'model.answered' || status !== 'IN_PROGRESS') return
        if (turn.checking === 'none') answer.become('work')
        else this.#checked = { turn: this.#deps.session.turn, answer }
      } catch (error) {
        answer.close(signal.aborted ? 'stopped' : 'failed')
        if (signal.aborted) return
        if (isTurn) this.#events.failed(error)
        else this.#writer.showFailureBeside(error)
      } finally {
        this.#end(abort)
      }
    })
  }

  abort(requestId: number): void {
    if (this.#open?.requestId === requestId) this.#open.abort.abort()
  }

  abortAll(): void {
    for (const abort of this.#running) abort.abort()
  }

  /** Compacts when everything before is done; a stop is a normal end. Errors: those of a request to the model. */
  compact(): Promise<void> {
    const abort = new AbortController()
    this.#running.add(abort)
    return this.#writer.inOrder(async () => {
      try {
        await this.#compact(abort.signal)
      } catch (error) {
        if (!abort.signal.aborted) throw error
      } finally {
        this.#end(abort)
      }
    })
  }

  /** Notes that the prompt was cut back: the folder's instructions may have gone with it. */
  forget(): void {
    this.#hasInstructions = false
  }

  /** Ends the running request; later ones are not made. */
  close(): void {
    this.#isClosed = true
    this.abortAll()
  }

  async #decide(requestId: number, { context, hooks, signal }: Given): Promise<AgentEvent> {
    const { session, model, log } = this.#deps
    const { decision, entries, isRepaired, clipped, usage } = await model.decide(context, hooks, signal)
    const { sessionId } = session
    if (clipped.length > 0) log.write('debug', 'session.clipped', { sessionId, fields: clipped })
    session.appendEntries(entries)
    session.add({ kind: 'decision', decision, isRepaired, usage })
    session.count({}, usage)
    if (decision.next_step === 'defer') this.#events.dispatch(turnReferred(session))
    return { type: 'model.decided', requestId, decision }
  }

  async #reply(
    { requestId, kind, about }: EffectOf<'model.reply'>,
    { context, hooks, signal, answer }: Given,
  ): Promise<AgentEvent> {
    const { session, model } = this.#deps
    const outcome = await model.reply(context, { kind, about }, hooks, signal)
    session.appendEntries(outcome.entries)
    answer.finish(outcome)
    session.count({}, outcome.usage)
    return { type: 'reply.finished', requestId }
  }

  /** Requests work with tools. On the direct path the answer is a decision too, and text without calls is the reply. */
  async #work(
    { requestId, step }: Omit<EffectOf<'model.work'>, 'type'>,
    { context, hooks, signal, answer }: Given,
  ): Promise<AgentEvent | null> {
    const { session, model } = this.#deps
    const outcome = await model.work(context, step, hooks, signal)
    const { calls: raw, text, isDirect, usage } = outcome
    session.appendEntries(outcome.entries)
    if (isDirect && raw.length === 0) answer.become('reply')
    answer.finish(outcome)
    session.count({}, usage)
    if (outcome.end === 'stopped') return null
    const written = isDirect ? writeDecision(session, raw, text, usage) : null
    const calls = raw.length === 0 ? [] : await this.#calls.propose(raw)
    if (signal.aborted) {
      // Each call of an answer has its result in the prompt, also after a stop.
      for (const { callId } of calls) this.#calls.end(callId, 'stopped', null)
      return null
    }
    if (isDirect) {
      const isSteered = this.#writer.said !== null
      const isReviewed = this.#deps.isReviewed?.() ?? false
      const isDeferred = isDeferral(text, calls) && !isSteered
      if (isReviewedReply(session.state, text, calls) && !isSteered) answer.become('reply')
      if (isDeferred) {
        answer.become('reply')
        this.#events.dispatch(turnReferred(session))
      }
      if (written !== null) completeDecision(session, written, calls, isDeferred)
      const line = firstLine(text)
      const isEnding = calls.length === 0 && line !== '' && !isSteered
      const checks = isEnding ? await this.#calls.proposeChecks(signal) : []
      const told = { requestId, text: line, calls, isReviewed, checks }
      // While checks were read, the user may have said more.
      return { type: 'model.answered', ...told, isSteered: this.#writer.said !== null }
    }
    return calls.length === 0
      ? { type: 'work.finished', requestId }
      : { type: 'model.called', requestId, calls }
  }

  async #beside(opening: readonly PromptEntry[], { context, hooks, signal, answer }: Given): Promise<null> {
    const { session, model } = this.#deps
    const outcome = await model.beside(context, opening, hooks, signal)
    // While a call runs, its result comes first.
    if (session.state.calls.length === 0) session.appendEntries(outcome.entries)
    else for (const entry of outcome.entries) this.#writer.holdAside(entry)
    answer.finish(outcome)
    session.count({}, outcome.usage)
    return null
  }

  #context(): RequestContext {
    const { session } = this.#deps
    const { sessionId, language, turn, log, state, folders } = session
    // Needed only by a block that tells everything; before the first message has ended there is nothing to tell.
    const isTold = turn <= 1 || log.some(({ told }) => told !== undefined && 'mode' in told)
    const updatedAt = isTold
      ? undefined
      : session.page({ limit: mostItems }).items.findLast((item) => item.turn < turn)?.at
    return { sessionId, language, turn, log, state, folders, updatedAt }
  }

  /** Prepares a request: checks that the folder exists, adds its instructions to the prompt, and makes room. */
  async #prepare(isTurn: boolean, signal: AbortSignal): Promise<void> {
    const { session, model, root } = this.#deps
    if (!(await this.#deps.isFolderThere())) throw new AppError({ code: 'file/not-found', path: root })
    await this.#readInstructions()
    await this.#tellSurroundings(signal)
    if (isTurn) this.#beginServers()
    if (isTurn) await this.#offerServers()
    // Files that a running call may be changing are checked when it has ended.
    if (isTurn || session.state.calls.length === 0) await this.#writer.tellChanged()
    this.#writer.appendHeld()
    session.setActivity({ phase: 'queued', progress: null })
    if (!isTurn || this.#fullTurn === session.turn) return
    if (await model.needsCompaction(this.#context(), signal)) await this.#compact(signal)
  }

  /** Compacts after a refusal for length; returns true where the request can be made once more. */
  async #hasMadeRoom(error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!isAppError(error, 'model/context-overflow')) return false
    try {
      await this.#compact(signal)
      return true
    } catch (failure) {
      signal.throwIfAborted()
      // Not even the request for a summary fits: the refusal itself says what is wrong.
      if (isAppError(failure, 'model/context-overflow')) return false
      throw failure
    }
  }

  /** Adds the instructions once: at the first request, or at the first one after the user trusts the folder. */
  async #readInstructions(): Promise<void> {
    const { session, instructions, isTrusted } = this.#deps
    if (this.#hasInstructions || !isTrusted()) return
    this.#hasInstructions = true
    // Those of an added folder have `told`.
    if (session.log.some(({ kind, told }) => kind === 'instructions' && told === undefined)) return
    const text = await instructions()
    const turn = session.log.length === 0 ? 0 : session.turn
    if (text !== null) session.appendEntries([{ turn, role: 'system', kind: 'instructions', text }])
  }

  /** Starts the servers and reports each late one once in a session: no request waits for them. */
  #beginServers(): void {
    const late = (this.#deps.toolbox.begin?.() ?? []).filter((name) => !this.#lateServers.has(name))
    for (const name of late) this.#lateServers.add(name)
    if (late.length > 0) this.#writer.notice({ kind: 'servers-starting', names: late })
  }

  /** Names the proposed servers once in a session; the user decides about them in the settings. */
  async #offerServers(): Promise<void> {
    const { session, proposedServers } = this.#deps
    const names = this.#hasOffered ? [] : ((await proposedServers?.()) ?? [])
    this.#hasOffered = true
    const { items } = session.page({ limit: mostItems })
    const isTold = items.some((item) => item.kind === 'notice' && item.notice.kind === 'servers-proposed')
    if (names.length > 0 && !isTold) this.#writer.notice({ kind: 'servers-proposed', names: [...names] })
  }

  /** Tells a model on the direct path where it works, once: before its first request on that path. */
  async #tellSurroundings(signal: AbortSignal): Promise<void> {
    const { session, model, surroundings } = this.#deps
    if (surroundings === undefined || session.log.some(({ kind }) => kind === 'surroundings')) return
    if (!(await model.isDirect(this.#context(), signal))) return
    const text = await surroundings(signal)
    session.appendEntries([{ turn: session.turn, role: 'user', kind: 'surroundings', text }])
  }

  /** Compacts the prompt. One that would not become shorter stays as it is. */
  async #compact(signal: AbortSignal): Promise<void> {
    const { session, model } = this.#deps
    session.setActivity({ phase: 'compacting', progress: null })
    const hooks = this.#hooks('compacting', null)
    const { log, summary, tokensBefore, tokensAfter, usage } = await model.compact(
      this.#context(),
      hooks,
      signal,
    )
    session.count({}, usage)
    const isShorter = tokensAfter < tokensBefore
    if (isShorter) this.#writer.replaceLog(log)
    this.#fullTurn = tokensAfter > tokensBefore * usefulShare ? session.turn : null
    session.add({
      kind: 'compaction',
      summary: isShorter ? summary : '',
      tokensBefore,
      tokensAfter,
      state: isShorter ? 'finished' : 'failed',
    })
  }

  #hooks(phase: Phase, answer: WrittenAnswer | null): RequestHooks {
    const { session } = this.#deps
    let isSaying = false
    return {
      onPhase: (now, progress, waitMs) =>
        session.setActivity({
          phase: now === 'writing' && !isSaying ? phase : now,
          progress,
          ...(waitMs && { waitMs }),
        }),
      onText(text) {
        // Text for the user streams: no tool is used yet.
        if (!isSaying && phase !== 'writing') {
          isSaying = true
          session.setActivity({ phase: 'writing', progress: null })
        }
        answer?.grow('text', text)
      },
      onReasoning: (text) => answer?.grow('reasoning', text),
      onReplace: (text) => answer?.replace(text),
      onSent: (sent) => session.setSent(sent),
    }
  }

  #end(abort: AbortController): void {
    this.#running.delete(abort)
    this.#events.ended()
  }
}

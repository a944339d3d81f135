import type { GateItem } from '../../../shared/domain/session/agent-consent.ts'
import type { AgentFailure } from '../../../shared/domain/session/agent-notice.ts'
import { isTurnInProgress, type TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type { GateAnswerInput } from '../../../shared/domain/session/gate.ts'
import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { QueuedMessage } from '../../../shared/domain/session/session.ts'
import type { UndoHow } from '../../../shared/domain/session/session-item.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { Replacement } from '../../../shared/text/difference/word-difference.ts'
import type { AgentEffect, AgentEvent } from '../../agent/agent-events.ts'
import { step } from '../../agent/agent-machine.ts'
import type { RequestContext } from '../../agent/model/agent-model.ts'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import { isSteerable } from '../../agent/tables/table-row.ts'
import type { PreparedCall } from '../../tools/prepared-call.ts'
import type { SubmitItem } from '../prompt-submit.ts'
import { ConversationWriter, modelTextOf } from './conversation-writer.ts'
import { ModelRequests } from './model-requests.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { ToolCalls } from './tool-calls.ts'

type Performers = { [T in AgentEffect['type']]: (effect: Extract<AgentEffect, { type: T }>) => void }

/**
 * Plays one session: hands every event to the machine and performs the effects in their order.
 *
 * It decides nothing about the course of a session: that is `step`. What it owes the machine stands in
 * `docs/development.md`.
 */
export class SessionRunner {
  readonly #deps: RunnerDeps
  readonly #writer: ConversationWriter
  readonly #calls: ToolCalls
  readonly #requests: ModelRequests
  readonly #effects: Performers
  readonly #events: AgentEvent[] = []
  #isStepping = false
  /** How the turn has ended while `turnEnded` is still to be emitted for it, else null. */
  #ended: TurnEnd | null = null
  /** Running work other than requests to the model. */
  readonly #work = new Set<Promise<void>>()

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    const dispatch = (event: AgentEvent): void => this.dispatch(event)
    this.#writer = new ConversationWriter(deps)
    this.#calls = new ToolCalls(deps, this.#writer, dispatch)
    const failed = this.#fail
    const ended = (): void => this.#settle()
    this.#requests = new ModelRequests(deps, this.#writer, this.#calls, { dispatch, failed, ended })
    this.#effects = this.#performers()
    // Fails once, however many writes fail: what runs ends, and the user says when to go on.
    deps.session.onDiskFull((error) => {
      if (this.isBusy && !this.#writer.isDiskFull) this.#fail(error)
    })
  }

  /** True while anything is in progress that will go on by itself. */
  get isBusy(): boolean {
    return this.#isInProgress || this.#isAtWork
  }

  get #isInProgress(): boolean {
    return isTurnInProgress(this.#deps.session.state)
  }

  /** True while a request or a call is in progress, or consent is judged; without these nothing changes by itself. */
  get #isAtWork(): boolean {
    return this.#requests.isBusy || this.#work.size > 0
  }

  /** Entries that the model is told with the next request, before the next message. */
  get held(): readonly PromptEntry[] {
    return this.#writer.held
  }

  /** Tells the machine what happened, and performs what follows. */
  dispatch(event: AgentEvent): void {
    this.#events.push(event)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#step(next)
    } finally {
      this.#isStepping = false
      this.#settle()
    }
  }

  /** Sends a user's message now: as a new turn, or with the next request of the running turn. */
  begin(segments: readonly MessageSegment[], how: 'send' | 'steer', items: readonly SubmitItem[] = []): void {
    const { session } = this.#deps
    if (this.#requests.isClosed)
      throw new AppError({ code: 'session/not-found', sessionId: session.sessionId })
    if (how === 'send' || !isSteerable(session.state)) {
      this.#calls.beginTurn()
      this.#writer.beginTurn()
      session.holdQueue(false)
      session.startTurn(segments)
    }
    this.#writer.message(segments, how, items)
    this.dispatch({ type: how === 'steer' ? 'user.steer' : 'user.message', text: segmentsText(segments) })
  }

  /** Records that the user has replaced words of what the assistant wrote in its last turn. */
  corrected(replaced: readonly Replacement[]): void {
    const texts = replaced.map((pair) => this.#deps.words().replaced(pair))
    if (texts.length > 0) this.dispatch({ type: 'user.corrected', texts })
  }

  /** Answers a message beside the turn, without tools and changes, when the model is free. */
  beside(segments: readonly MessageSegment[], items: readonly SubmitItem[] = []): void {
    this.#requests.ask({ type: 'beside', opening: this.#writer.messageBeside(segments, items) })
    this.#settle()
  }

  /** Returns false where the question is no longer asked; nothing of the answer is kept then. */
  answerQuestion(
    callId: string,
    segments: readonly MessageSegment[],
    items: readonly SubmitItem[] = [],
  ): boolean {
    const isOpen = (): boolean => this.#deps.session.state.calls.some((call) => call.callId === callId)
    if (!isOpen()) return false
    this.dispatch({ type: 'user.answer', callId, text: modelTextOf(segments, items) })
    if (isOpen()) return false
    this.#writer.answered(callId, segments, items)
    return true
  }

  /** Errors: `gate/not-open`, `gate/too-early`. */
  answerGate(input: GateAnswerInput): Promise<void> {
    return this.#calls.answerGate(input)
  }

  /** Handles changed files of a gate: it is asked again, or closed where nothing of it applies any more. */
  voidGate(gateId: string, items: GateItem[] | null): void {
    if (items === null) this.#writer.closeGate(gateId, 'void', null)
    this.dispatch({ type: 'gate.void', gateId, items })
  }

  /** Ends what runs. Queued messages do not begin by themselves: the user wanted nothing more to happen. */
  stop(): void {
    this.#deps.session.holdQueue(true)
    this.dispatch({ type: 'user.stop' })
    this.#requests.abortAll()
  }

  sendQueued(): void {
    this.#deps.session.holdQueue(false)
    this.#settle()
  }

  compact(): Promise<void> {
    return this.#requests.compact()
  }

  /**
   * Goes on after the host ended in mid-work: nothing is repeated by itself and the model is not asked; gates are.
   *
   * `restore` opens the stored gates again and returns those that ask something else now, or nothing.
   */
  async resume(
    restore: (calls: PreparedCall[]) => Promise<{ gateId: string; items: GateItem[] | null }[]>,
  ): Promise<void> {
    this.#writer.closeInterrupted()
    const changed = await restore(await this.#calls.reopen())
    for (const { gateId, items } of changed) if (items === null) this.voidGate(gateId, null)
    this.dispatch({ type: 'crash.resume' })
    this.#requests.abortAll()
    for (const { gateId, items } of changed) if (items !== null) this.voidGate(gateId, items)
  }

  /** Goes on with a turn that was begun elsewhere: what was open there begins anew. `hasChanged`: it changed files. */
  goOn(hasChanged: boolean): void {
    const { session } = this.#deps
    const { turn } = session
    this.#calls.beginTurn(hasChanged)
    const proposed = this.#calls.proposeAgain().then((calls) => {
      // What the user said meanwhile is another turn.
      if (session.turn === turn) this.dispatch({ type: 'turn.adopted', calls })
    })
    this.#track(proposed)
  }

  /** Notes that the prompt was cut back to an earlier turn. */
  forget(): void {
    this.#writer.dropHeld()
    this.#requests.forget()
  }

  /** Notes that the user has undone or redone what an earlier turn did to files. */
  noteUndo(undoneTurn: number, files: string[], how: UndoHow = {}): void {
    this.#writer.undo(undoneTurn, files, how)
  }

  /** Tells the model an entry with the next request, after the results of calls that still run. */
  tell(entry: Omit<PromptEntry, 'turn'>): void {
    this.#writer.hold({ turn: this.#deps.session.turn, ...entry })
  }

  /** Returns the context of the request that this message would cause now; null where it would cause none. */
  prefetchContext(text: string): RequestContext | null {
    return this.isBusy ? null : prefetchContext(this.#deps.session, this.#writer.held, text)
  }

  /** Inherits, in a fork, what the session that it left had to tell the model. */
  inherit(held: readonly PromptEntry[]): void {
    for (const entry of held) this.#writer.hold(entry)
  }

  /** Resolves when nothing changes by itself any more, even if the session waits for something that never comes. */
  async standstill(): Promise<void> {
    while (this.#isAtWork) await this.idle()
  }

  /** Makes no more requests to the model: calls that have consent are finished, all else stays as it is. */
  async halt(): Promise<void> {
    this.#requests.close()
    await this.standstill()
  }

  /** Resolves when what was asked to stop has stopped. */
  async idle(): Promise<void> {
    await this.#writer.idle()
    await Promise.all([...this.#work])
    await this.#writer.idle()
  }

  /** Stores what the model is still to be told: the session leaves the memory. */
  keepHeld = (): void => this.#writer.keepHeld()

  /** Ends what runs and waits for it; nothing begins any more. */
  async close(): Promise<void> {
    this.#requests.close()
    for (const call of this.#deps.session.state.calls) this.#calls.stop(call.callId)
    await this.idle()
  }

  #step(event: AgentEvent): void {
    const { session } = this.#deps
    if (event.type === 'recover' || event.type === 'user.reset') this.#writer.retry()
    const { state, effects } = step(session.state, event)
    if (state !== session.state) session.setState(state)
    if (state.status !== 'ERROR') session.setCanRecover(false)
    for (const effect of effects) {
      const perform = this.#effects[effect.type] as (effect: AgentEffect) => void
      perform(effect)
    }
  }

  /** Returns what is done for each effect. */
  #performers(): Performers {
    return {
      'model.decide': this.#requests.ask,
      'model.reply': this.#requests.ask,
      'model.work': this.#requests.ask,
      'model.abort': ({ requestId }) => this.#requests.abort(requestId),
      'consent.ask': ({ callIds }) => this.#track(this.#calls.askConsent(callIds)),
      'gate.request': () => this.#track(this.#calls.askPlan()),
      'gate.show': ({ gate }) => this.#writer.gate(gate),
      'gate.withdraw': ({ gateId }) => {
        this.#deps.consent.withdraw(this.#deps.session.sessionId, gateId)
        this.#writer.closeGate(gateId, 'withdrawn', null)
      },
      'call.run': ({ record }) => this.#track(this.#calls.run(record)),
      'call.stop': ({ callId }) => this.#calls.stop(callId),
      'call.result': ({ callId, outcome, reason }) => {
        // `answerQuestion` closes an answered question together with its answer: windows take a closed question that
        // has no answer for unanswered.
        if (outcome !== 'answered') this.#writer.closeQuestion(callId)
        this.#calls.end(callId, outcome, reason)
      },
      'question.ask': ({ callId, question }) =>
        this.#writer.question(callId, question, this.#calls.options(callId)),
      'message.beside': ({ text }) =>
        this.#requests.ask({ type: 'beside', opening: [this.#writer.entry(text)] }),
      'recovery.due': ({ failure, isAutomatic }) => this.#recover(failure, isAutomatic),
      'failure.show': ({ failure }) => this.#writer.showFailure(failure, false),
      notice: ({ notice }) => this.#writer.notice(notice),
      'turn.ended': ({ how }) => {
        this.#ended = how
      },
    }
  }

  readonly #fail = (error: unknown): void =>
    this.dispatch({ type: 'error', failure: this.#writer.failure(error) })

  #recover(failure: AgentFailure, isAutomatic: boolean): void {
    this.#writer.showFailure(failure, isAutomatic)
    if (!isAutomatic) {
      this.#deps.session.setCanRecover(true)
      return
    }
    // Tell the model about its own mistakes so it does not repeat them.
    if (failure !== 'model-failed') this.#writer.note(this.#deps.words().failure(failure))
    this.#events.push({ type: 'recover' })
  }

  /** Begins the next queued message where nothing runs any more; else shows in the window that the session rests. */
  #settle(): void {
    if (this.#isStepping || this.isBusy || this.#requests.isClosed) return
    const { session, events } = this.#deps
    const next = this.#nextQueued()
    if (next !== undefined) {
      this.#track(this.#beginQueued(next))
      return
    }
    session.setActivity(null)
    const how = this.#ended
    this.#ended = null
    if (how !== null) events.turnEnded(how)
  }

  /** Returns the queued message that may begin where no turn goes on. */
  #nextQueued(): QueuedMessage | undefined {
    const { session } = this.#deps
    const isHeld = session.isQueueHeld || session.isWaiting || session.state.status === 'ERROR'
    return isHeld ? undefined : session.queue.find(({ refusal }) => refusal === undefined)
  }

  /**
   * Begins a message that has waited with what it attaches, read now and not when it was written. It stays in the queue
   * until then; one that is not sent stays there with the reason: its text goes back to the box. One that cannot begin
   * (a full disk) waits for the user.
   */
  async #beginQueued(message: QueuedMessage): Promise<void> {
    const { session } = this.#deps
    const { messageId, segments } = message
    session.setActivity({ phase: 'queued', progress: null })
    let items: SubmitItem[]
    try {
      items = await this.#deps.submit(message)
    } catch (error) {
      if (!isAppError(error)) {
        // The next attempt would fail at once in the same way.
        session.holdQueue(true)
        throw error
      }
      const refused = session.dequeue(messageId)
      if (refused !== undefined) session.enqueue({ ...refused, refusal: error.info })
      return
    }
    // Meanwhile the user may have stopped it, taken it back or begun another turn, or the session was closed.
    const isFree = !this.#isInProgress && !this.#requests.isBusy && !this.#requests.isClosed
    if (!isFree || this.#nextQueued()?.messageId !== messageId) return
    try {
      this.begin(segments, 'send', items)
    } catch (error) {
      session.holdQueue(true)
      throw error
    }
    session.dequeue(messageId)
  }

  /** Follows work that goes on by itself; an error of it is a failure of the session. */
  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.catch(this.#fail).finally(() => {
      this.#work.delete(tracked)
      this.#settle()
    })
    this.#work.add(tracked)
  }
}

/**
 * Returns the context of the decision that `text` would cause if it were sent now: `held` before it, the state after
 * it. Null where something else than a decision would follow.
 */
export function prefetchContext(
  session: RequestContext,
  held: readonly PromptEntry[],
  text: string,
): RequestContext | null {
  const { sessionId, language, folders = [] } = session
  const { state, effects } = step(session.state, { type: 'user.message', text })
  if (!effects.some(({ type }) => type === 'model.decide')) return null
  const turn = session.turn + 1
  const message: PromptEntry = { turn, role: 'user', kind: 'message', text }
  return { sessionId, language, turn, log: [...session.log, ...held, message], state, folders }
}

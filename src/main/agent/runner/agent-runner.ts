import type { DecisionRecord, GateItem } from '../../../shared/domain/session/agent-consent.ts'
import type { AgentFailure } from '../../../shared/domain/session/agent-notice.ts'
import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type { GateAnswerInput } from '../../../shared/domain/session/gate.ts'
import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { UndoHow } from '../../../shared/domain/session/session-item.ts'
import { AppError } from '../../../shared/errors.ts'
import type { GateContext } from '../../gates/gate-service.ts'
import type { SubmitItem } from '../../sessions/prompt-submit.ts'
import type { PreparedCall } from '../../tools/prepared-call.ts'
import type { AgentEffect } from '../agent-effects.ts'
import type { AgentEvent } from '../agent-events.ts'
import { step } from '../agent-machine.ts'
import { isSteerable } from '../direct-steps.ts'
import type { RequestContext } from '../model/agent-model.ts'
import type { PromptEntry } from '../model/prompt/prompt-entry.ts'
import { CallRegistry, filesOf } from './call-registry.ts'
import { ConsentSteps } from './consent-steps.ts'
import { prefetchContext } from './context-prefetch.ts'
import { GateItems } from './gate-items.ts'
import { LoopGuard } from './loop-guard.ts'
import { ModelQueue } from './model-queue.ts'
import { OpenQuestions } from './open-questions.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { SentMessages } from './sent-messages.ts'
import { SessionFailures } from './session-failures.ts'
import { SessionSteps } from './session-steps.ts'
import { TrackedWork } from './tracked-work.ts'

/**
 * Plays one session: hands every event to the machine and performs what it answers, in its order.
 *
 * It decides nothing about the course of a session: that is `step`. What it owes the machine stands in
 * `docs/development.md`.
 */
export class AgentRunner {
  readonly #deps: RunnerDeps
  readonly #modelQueue: ModelQueue
  readonly #calls: CallRegistry
  readonly #gates: GateItems
  readonly #consent: ConsentSteps
  readonly #steps: SessionSteps
  readonly #failures: SessionFailures
  readonly #message: SentMessages
  readonly #questions: OpenQuestions
  readonly #guard = new LoopGuard()
  readonly #requests = new Map<number, AbortController>()
  #events: AgentEvent[] = []
  #isStepping = false
  /** How the turn has ended while `turnEnded` is still to be emitted for it, else null. */
  #ended: TurnEnd | null = null
  readonly #work: TrackedWork

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#work = new TrackedWork(
      (error) => this.#fail(error),
      () => this.#settle(),
    )
    this.#modelQueue = new ModelQueue(deps, () => this.#settle())
    this.#calls = new CallRegistry(deps, this.#modelQueue)
    this.#gates = new GateItems(deps)
    const dispatch = (event: AgentEvent): void => this.dispatch(event)
    this.#consent = new ConsentSteps(deps, this.#calls, () => this.consentContext(), dispatch)
    this.#failures = new SessionFailures(deps)
    // Once, however much cannot be written: what runs ends, and the user says when to go on.
    deps.session.onDiskFull((error) => {
      if (this.isBusy && !this.#failures.isDiskFull) this.#fail(error)
    })
    this.#message = new SentMessages(deps)
    for (const entry of this.#message.unsent()) this.#modelQueue.hold(entry)
    const parts = { modelQueue: this.#modelQueue, calls: this.#calls, messages: this.#message }
    this.#questions = new OpenQuestions(deps, parts)
    this.#steps = new SessionSteps(deps, this.#modelQueue, this.#calls, this.#guard, dispatch)
  }

  /** True while anything is under way that will go on by itself. */
  get isBusy(): boolean {
    const { status, waiting } = this.#deps.session.state
    const isUnderWay = status === 'IN_PROGRESS' && waiting !== 'none'
    return isUnderWay || this.#isAtWork
  }

  /** A request or a call is under way, or consent is looked into; without any of it nothing moves. */
  get #isAtWork(): boolean {
    return this.#modelQueue.isBusy || !this.#work.isEmpty
  }

  /** What the model is told with the next request, before the next message. */
  get held(): readonly PromptEntry[] {
    return this.#modelQueue.held
  }

  /** Tells the machine what happened, and does what it answers. */
  dispatch(event: AgentEvent): void {
    this.#events.push(event)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#take(next)
    } finally {
      this.#isStepping = false
      this.#settle()
    }
  }

  /** A message of the user's, now: a new turn, or the next request of the one that runs. */
  begin(segments: readonly MessageSegment[], how: 'send' | 'steer', items: readonly SubmitItem[] = []): void {
    const { session } = this.#deps
    if (this.#modelQueue.isClosed)
      throw new AppError({ code: 'session/not-found', sessionId: session.sessionId })
    if (how === 'send' || !isSteerable(session.state)) {
      this.#guard.begin()
      this.#failures.begin()
      session.holdQueue(false)
      session.startTurn(segments)
    }
    for (const entry of this.#message.add(segments, how, items)) this.#modelQueue.hold(entry)
    this.dispatch({ type: how === 'steer' ? 'user.steer' : 'user.message', text: segmentsText(segments) })
  }

  /** A message that changes nothing: answered without tools when the model is free. */
  beside(segments: readonly MessageSegment[], items: readonly SubmitItem[] = []): void {
    this.#beside(this.#message.add(segments, 'beside', items))
    this.#settle()
  }

  /** False where the question is no longer asked; nothing of the answer is kept then. */
  answerQuestion(
    callId: string,
    segments: readonly MessageSegment[],
    items: readonly SubmitItem[] = [],
  ): boolean {
    const text = segmentsText(segments)
    const take = (): void => this.dispatch({ type: 'user.answer', callId, text })
    return this.#questions.answer(callId, { segments, items }, take)
  }

  /** Errors: `gate/not-open`, `gate/too-early`. */
  async answerGate(input: GateAnswerInput): Promise<void> {
    const { gateId } = input
    const isOpen = this.#deps.session.state.gates.some((gate) => gate.gateId === gateId)
    if (!isOpen) throw new AppError({ code: 'gate/not-open', gateId })
    const answer = await this.#deps.consent.answer(this.consentContext(), input)
    if (answer.kind === 'approved') {
      for (const call of answer.calls) this.#calls.replace(call)
      this.#gates.settle(gateId, 'approved', null)
      this.dispatch({ type: 'gate.approved', gateId, answers: answer.answers })
    } else if (answer.kind === 'rejected') {
      this.#gates.settle(gateId, 'rejected', answer.reason)
      this.dispatch({ type: 'gate.rejected', gateId, reason: answer.reason })
    } else this.voidGate(gateId, answer.items)
  }

  /** The files of a gate changed: it is asked again, or is gone where nothing of it applies any more. */
  voidGate(gateId: string, items: { callId: string; hash: string }[] | null): void {
    if (items === null) this.#gates.settle(gateId, 'void', null)
    this.dispatch({ type: 'gate.void', gateId, items })
  }

  /** Ends what runs. What waits to be sent does not begin by itself: the user wanted nothing more to happen. */
  stop(): void {
    this.#deps.session.holdQueue(true)
    this.dispatch({ type: 'user.stop' })
    this.#modelQueue.abortAll()
  }

  /** The user wants what waits to be sent after all. */
  sendQueued(): void {
    this.#deps.session.holdQueue(false)
    this.#settle()
  }

  compact(): Promise<void> {
    return this.#modelQueue.compact(new AbortController())
  }

  /**
   * Goes on after the host ended in mid-work: nothing is repeated by itself, gates are asked again.
   *
   * `restore` opens the stored gates again and says which of them ask something else now, or nothing.
   */
  async resume(
    restore: (calls: PreparedCall[]) => Promise<{ gateId: string; items: GateItem[] | null }[]>,
  ): Promise<void> {
    this.#steps.closeInterrupted()
    const changed = await restore(await this.#steps.reopenGates())
    const gone = changed.filter(({ items }) => items === null)
    for (const { gateId } of gone) this.voidGate(gateId, null)
    this.dispatch({ type: 'crash.resume' })
    for (const { gateId, items } of changed) if (items !== null) this.voidGate(gateId, items)
  }

  /** Goes on with a turn that was begun elsewhere: what was open there begins anew, on the files as they are now. */
  goOn(): void {
    this.#work.track(this.#steps.takeTurn())
  }

  /** The prompt was taken back to an earlier turn. */
  forget(): void {
    this.#modelQueue.forget()
  }

  /** The user took back what an earlier turn did to files, or took that back. */
  noteUndo(undoneTurn: number, files: string[], how: UndoHow = {}): void {
    const { session, words } = this.#deps
    session.add({ kind: 'undo', undoneTurn, files, ...how })
    if (files.length > 0) this.#note(how.isRedo ? words.redone(files) : words.undone(files))
  }

  /** Told to the model with the next request, after the results of calls that still run. */
  tell(entry: Omit<PromptEntry, 'turn'>): void {
    this.#modelQueue.hold({ turn: this.#deps.session.turn, ...entry })
  }

  /** What the model would be asked with if this message were sent now; null where it would not be asked. */
  ahead(text: string): RequestContext | null {
    return this.isBusy ? null : prefetchContext(this.#deps.session, this.#modelQueue.held, text)
  }

  /** Of a fork: what the session that it left had to tell the model. */
  inherit(held: readonly PromptEntry[]): void {
    for (const entry of held) this.#modelQueue.hold(entry)
  }

  /** Resolves when nothing moves any more, also where something is waited for that nobody brings. */
  async standstill(): Promise<void> {
    while (this.#isAtWork) await this.idle()
  }

  /** Asks the model nothing more, from now on: calls that were consented to are finished, all else stays as it is. */
  async halt(): Promise<void> {
    this.#modelQueue.close()
    await this.standstill()
  }

  /** Resolves when what was asked to stop has stopped. */
  async idle(): Promise<void> {
    await this.#modelQueue.idle()
    await this.#work.idle()
    await this.#modelQueue.idle()
  }

  consentContext(): GateContext {
    const { session, root } = this.#deps
    const { sessionId, workId, language, state } = session
    const step = state.plan?.todos.find((todo) => !todo.isDone)
    return { sessionId, workId, root, language, mode: state.mode, task: step?.text ?? state.course.goal }
  }

  /** Ends what runs and waits for it; nothing begins any more. */
  async close(): Promise<void> {
    this.#modelQueue.close()
    for (const abort of this.#requests.values()) abort.abort()
    for (const call of this.#deps.session.state.calls) this.#calls.stop(call.callId)
    await this.idle()
  }

  #take(event: AgentEvent): void {
    const { session } = this.#deps
    if (event.type === 'recover') this.#failures.retry()
    const { state, effects } = step(session.state, event)
    if (state !== session.state) session.setState(state)
    for (const effect of effects) this.#perform(effect)
    // A failure that the tables say nothing about is told all the same.
    if (event.type === 'error' && !effects.some(({ type }) => type === 'recovery.due'))
      this.#failures.tell(event.failure, false)
  }

  #perform(effect: AgentEffect): void {
    switch (effect.type) {
      case 'model.decide':
      case 'model.reply':
      case 'model.work':
        this.#ask(effect)
        break
      case 'model.abort':
        this.#requests.get(effect.requestId)?.abort()
        break
      case 'consent.ask':
        for (const callId of effect.callIds) this.#calls.asked(callId)
        this.#work.track(this.#consent.askCalls(effect.callIds))
        break
      case 'gate.request':
        this.#work.track(this.#consent.askGate(effect.kind))
        break
      case 'gate.show':
        this.#gates.show(effect.gate)
        break
      case 'gate.withdraw':
        this.#deps.consent.withdraw(this.#deps.session.sessionId, effect.gateId)
        this.#gates.settle(effect.gateId, 'withdrawn', null)
        break
      case 'call.run':
        this.#work.track(this.#run(effect.record))
        break
      case 'call.stop':
        this.#calls.stop(effect.callId)
        break
      case 'call.result':
        this.#questions.end(effect)
        break
      case 'question.ask':
        this.#questions.ask(effect.callId, effect.question)
        break
      case 'message.beside':
        this.#beside([this.#message.entry(effect.text)])
        break
      case 'recovery.due':
        this.#recover(effect.failure, effect.isAutomatic)
        break
      case 'notice':
        this.#notice(effect)
        break
      case 'turn.ended':
        this.#ended = effect.how
        break
      case 'changes.apply':
      case 'staged.discard':
        throw new Error(`${effect.type}: nothing is staged in a live turn`)
    }
  }

  #ask(effect: Extract<AgentEffect, { type: 'model.decide' | 'model.reply' | 'model.work' }>): void {
    const { requestId } = effect
    const abort = new AbortController()
    this.#requests.clear()
    this.#requests.set(requestId, abort)
    if (effect.type === 'model.decide') this.#steps.decide(requestId, abort, this.#fail)
    else if (effect.type === 'model.reply') this.#steps.reply(requestId, effect, abort, this.#fail)
    else this.#steps.work(requestId, effect.step, abort, this.#fail)
  }

  readonly #fail = (error: unknown): void =>
    this.dispatch({ type: 'error', failure: this.#failures.note(error) })

  async #run({ callId, hash, by }: DecisionRecord): Promise<void> {
    const isFresh = by === 'user' || this.#consent.isHearing // It was judged just now.
    this.#deps.session.setActivity({ phase: 'running', progress: null })
    const [call] = this.#calls.prepared([callId])
    let isOk = false
    let files: string[] = []
    try {
      const lapse = isFresh || !call ? null : await this.#deps.consent.lapse(this.consentContext(), call)
      if (lapse !== null) this.#calls.end(callId, lapse === '' ? 'not-run' : 'denied', lapse || null)
      else isOk = await this.#calls.run(callId, hash)
      files = isOk && call ? filesOf(call) : []
      for (const path of files) this.dispatch({ type: 'reference.added', reference: `file:${path}` })
    } finally {
      // Also where its result could not be kept: a call that never ends holds up all that comes.
      this.dispatch({ type: 'call.finished', callId, isOk, changed: call?.access === 'write' ? files : [] })
    }
  }

  #beside(opening: readonly PromptEntry[]): void {
    this.#steps.beside(opening, (error) => this.#failures.tellBeside(error))
  }

  #recover(failure: AgentFailure, isAutomatic: boolean): void {
    this.#failures.tell(failure, isAutomatic)
    if (!isAutomatic) {
      this.#deps.session.setCanRecover(true)
      return
    }
    // What is the model's own doing it must know, or it does it again.
    if (failure !== 'model-failed') this.#note(this.#deps.words.failure(failure))
    this.#events.push({ type: 'recover' })
  }

  #notice({ notice }: Extract<AgentEffect, { type: 'notice' }>): void {
    const { session, words, log } = this.#deps
    if (notice.kind === 'ignored' || notice.kind === 'clipped') {
      log.write('debug', 'session.notice', { sessionId: session.sessionId, ...notice })
      return
    }
    session.add({ kind: 'notice', notice })
    this.#note(words.notice(notice))
  }

  /** Told to the model with the next request. Null: it need not know. */
  #note(text: string | null): void {
    if (text !== null) this.tell({ role: 'user', kind: 'note', text })
  }

  /** Nothing runs any more: the window shows it, and the next message that waits begins. */
  #settle(): void {
    if (this.#isStepping || this.isBusy || this.#modelQueue.isClosed) return
    const { session, events } = this.#deps
    const isHeld = session.isQueueHeld || session.isWaiting || session.state.status === 'ERROR'
    const next = isHeld ? undefined : session.dequeue()
    if (next !== undefined) {
      this.#work.track(this.#message.next(next, (items) => this.begin(next.segments, 'send', items)))
      return
    }
    session.setActivity(null)
    const how = this.#ended
    this.#ended = null
    if (how !== null) events.turnEnded(how)
  }
}

import type { AgentStep } from '../../../shared/domain/session/agent-step.ts'
import type { CallItem } from '../../../shared/domain/session/session-item.ts'
import type { PreparedCall } from '../../tools/prepared-call.ts'
import type { ReplyKind } from '../agent-effects.ts'
import type { AgentEvent, ProposedCall } from '../agent-events.ts'
import { derivedDecision, firstLine } from '../derived-decision.ts'
import type { PromptEntry } from '../model/prompt/prompt-entry.ts'
import type { CallRegistry } from './call-registry.ts'
import type { LoopGuard } from './loop-guard.ts'
import type { ModelQueue, ModelQueueRequest } from './model-queue.ts'
import type { RunnerDeps } from './runner-deps.ts'
import type { WrittenAnswer } from './written-answer.ts'

type Failed = (error: unknown) => void

/** What each request to the model asks, keeps and tells the machine. */
export class SessionSteps {
  readonly #deps: RunnerDeps
  readonly #modelQueue: ModelQueue
  readonly #calls: CallRegistry
  readonly #guard: LoopGuard
  readonly #dispatch: (event: AgentEvent) => void

  constructor(
    deps: RunnerDeps,
    modelQueue: ModelQueue,
    calls: CallRegistry,
    guard: LoopGuard,
    dispatch: (event: AgentEvent) => void,
  ) {
    this.#deps = deps
    this.#modelQueue = modelQueue
    this.#calls = calls
    this.#guard = guard
    this.#dispatch = dispatch
  }

  decide(requestId: number, abort: AbortController, failed: Failed): void {
    const { session, model, log } = this.#deps
    this.#request('deciding', null, abort, failed, async (context, hooks, signal, answer) => {
      if (await model.isDirect(context, signal)) {
        answer.become('work')
        this.#dispatch({ type: 'model.direct', requestId })
        return this.#act(requestId, session.state.step, context, hooks, signal, answer)
      }
      const { decision, entries, isRepaired, clipped, usage } = await model.decide(context, hooks, signal)
      const { sessionId } = session
      if (clipped.length > 0) log.write('debug', 'session.clipped', { sessionId, fields: clipped })
      session.appendEntries(entries)
      session.add({ kind: 'decision', decision, isRepaired, usage })
      session.count({}, usage)
      return { type: 'model.decided', requestId, decision }
    })
  }

  reply(
    requestId: number,
    wanted: { kind: ReplyKind; about: string },
    abort: AbortController,
    failed: Failed,
  ): void {
    const { session, model } = this.#deps
    this.#request('writing', 'reply', abort, failed, async (context, hooks, signal, answer) => {
      const outcome = await model.reply(context, wanted, hooks, signal)
      session.appendEntries(outcome.entries)
      answer.finish(outcome)
      session.count({}, outcome.usage)
      return { type: 'reply.finished', requestId }
    })
  }

  work(requestId: number, step: AgentStep, abort: AbortController, failed: Failed): void {
    this.#request('calling', 'work', abort, failed, (...given) => this.#act(requestId, step, ...given))
  }

  /** Work with tools: on the direct path the answer is read as a decision, and its text without calls is the reply. */
  async #act(
    requestId: number,
    step: AgentStep,
    ...[context, hooks, signal, answer]: Parameters<ModelQueueRequest['run']>
  ): Promise<AgentEvent | null> {
    const { session, model } = this.#deps
    const outcome = await model.work(context, step, hooks, signal)
    const { calls: raw, text, isDirect, usage } = outcome
    session.appendEntries(outcome.entries)
    if (isDirect && raw.length === 0) answer.become('reply')
    answer.finish(outcome)
    session.count({}, usage)
    if (outcome.end === 'stopped') return null
    if (isDirect) {
      const decision = derivedDecision(session.state, raw, text)
      const own = text === '' ? usage : null
      session.add({ kind: 'decision', decision, source: 'derived', isRepaired: false, usage: own })
    }
    const calls = raw.length === 0 ? [] : await this.#propose(raw)
    if (signal.aborted) {
      // Each call of an answer has its result, also where nobody waits for it any more.
      for (const { callId } of calls) this.#calls.end(callId, 'stopped', null)
      return null
    }
    if (isDirect) {
      const isSteered = this.#modelQueue.held.some(({ kind }) => kind === 'message')
      return { type: 'model.answered', requestId, text: firstLine(text), calls, isSteered }
    }
    if (calls.length === 0) return { type: 'work.finished', requestId }
    return { type: 'model.called', requestId, calls }
  }

  /** `opening`: the question and what goes with it. */
  beside(opening: readonly PromptEntry[], failed: Failed): void {
    const { session, model } = this.#deps
    const abort = new AbortController()
    this.#request('writing', 'beside', abort, failed, async (context, hooks, signal, answer) => {
      const outcome = await model.beside(context, opening, hooks, signal)
      // Beside a running call: its result comes first, then what was said meanwhile.
      if (session.state.calls.length === 0) session.appendEntries(outcome.entries)
      else for (const entry of outcome.entries) this.#modelQueue.hold(entry)
      answer.finish(outcome)
      session.count({}, outcome.usage)
      return null
    })
  }

  /** What was being written when the host ended stays as it is. */
  closeInterrupted(): void {
    const { session } = this.#deps
    for (const { kind, itemId } of session.openItems())
      if (kind === 'answer') session.change(itemId, 'answer', { state: 'stopped' })
  }

  /** The calls that open gates ask about, prepared anew on the files as they are now. */
  async reopenGates(): Promise<PreparedCall[]> {
    const items = this.#openCalls()
    return items.length === 0 ? [] : this.#calls.reopen(items)
  }

  /** The calls that are open come in once more, as if the model had just made them; then the turn goes on. */
  async takeTurn(): Promise<void> {
    const { session } = this.#deps
    const { turn } = session
    const items = this.#openCalls()
    const calls = items.length === 0 ? [] : await this.#calls.proposeAgain(items)
    // What the user said meanwhile is another turn.
    if (session.turn === turn) this.#dispatch({ type: 'turn.taken', calls })
  }

  #openCalls(): CallItem[] {
    const { session } = this.#deps
    const callIds = session.state.calls.map(({ callId }) => callId)
    const items = session.itemsAbout('call', ...callIds)
    return callIds.flatMap((callId) => items.find((item) => item.callId === callId) ?? [])
  }

  async #propose(raw: readonly { callId: string; name: string; args: string }[]): Promise<ProposedCall[]> {
    const looping = raw.filter((call) => this.#guard.isLoop(call.name, call.args))
    const calls = await this.#calls.propose(raw)
    return calls.map((call) => {
      const loop = looping.find(({ callId }) => callId === call.callId)
      if (loop === undefined || call.kind === 'invalid') return call
      const { callId } = call
      const subject = `${loop.name} ${this.#calls.title(callId)}`.trim()
      return { kind: 'question', callId, question: this.#deps.words.loopQuestion(subject) }
    })
  }

  #request(
    phase: 'deciding' | 'writing' | 'calling',
    purpose: 'reply' | 'work' | 'beside' | null,
    abort: AbortController,
    failed: Failed,
    run: (...given: Parameters<Parameters<ModelQueue['request']>[0]['run']>) => Promise<AgentEvent | null>,
  ): void {
    this.#modelQueue.request(
      {
        phase,
        purpose,
        failed,
        run: async (context, hooks, signal, answer: WrittenAnswer) => {
          const event = await run(context, hooks, signal, answer)
          this.#deps.heardModel(null)
          if (event === null || signal.aborted) return
          this.#dispatch(event)
          // What goes on was no reply.
          const goesOn = event.type === 'model.answered' && this.#deps.session.state.status === 'IN_PROGRESS'
          if (goesOn) answer.become('work')
        },
      },
      abort,
    )
  }
}

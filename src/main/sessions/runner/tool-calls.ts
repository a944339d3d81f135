import type { AgentGate, DecisionRecord } from '../../../shared/domain/session/agent-consent.ts'
import type { CallOutcome } from '../../../shared/domain/session/agent-notice.ts'
import type { GateAnswerInput } from '../../../shared/domain/session/gate.ts'
import type { CallItem } from '../../../shared/domain/session/session-item.ts'
import type { CommandEnding } from '../../../shared/domain/session/tool-result.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { AgentEvent, ProposedCall } from '../../agent/agent-events.ts'
import { isChange } from '../../agent/direct-calls.ts'
import type { ConsentFinding, GateContext } from '../../gates/gate-service.ts'
import { sandboxGrant } from '../../gates/judge.ts'
import type { CallResult, PreparedCall, RawCall, ReadCall } from '../../tools/prepared-call.ts'
import type { LiveSession } from '../live-session.ts'
import { consentContext } from '../session-view.ts'
import { CheckCalls, checkOf } from './check-calls.ts'
import type { ConversationWriter } from './conversation-writer.ts'
import { LoopGuard } from './loop-guard.ts'
import {
  type CarriedOut,
  declinedEffects,
  filesOf,
  idOf,
  newCallItem,
  type OpenCall,
  openCallOf,
  proposedOf,
  reopenedCall,
  touchedBy,
} from './open-call.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Reads the calls of an answer, asks for consent to them and carries them out. */
export class ToolCalls {
  readonly #deps: RunnerDeps
  readonly #session: LiveSession
  readonly #writer: ConversationWriter
  readonly #dispatch: (event: AgentEvent) => void
  readonly #guard = new LoopGuard()
  readonly #checks: CheckCalls
  /** Calls without a result. */
  readonly #entries = new Map<string, OpenCall>()

  constructor(deps: RunnerDeps, writer: ConversationWriter, dispatch: (event: AgentEvent) => void) {
    this.#deps = deps
    this.#session = deps.session
    this.#writer = writer
    this.#dispatch = dispatch
    this.#checks = new CheckCalls(deps, writer)
  }

  /** A new turn resets loop detection. `hasChanged`: it was begun elsewhere, and has changed files there. */
  beginTurn(hasChanged = false): void {
    this.#guard.begin()
    this.#checks.beginTurn(hasChanged)
  }

  /** Reads the calls of an answer without touching anything. A call that makes a loop becomes a question. */
  async propose(raw: readonly RawCall[]): Promise<ProposedCall[]> {
    const looping = raw.filter((call) => this.#guard.isLoop(call.name, call.args))
    const items = raw.map((call) => this.#session.add(newCallItem(call)).itemId)
    const read = await this.#deps.toolbox.prepare(raw)
    return read.map((call, index): ProposedCall => {
      const entry = openCallOf(call, items[index] ?? '')
      this.#entries.set(idOf(call), entry)
      const offer = call.kind === 'invalid' && call.offer !== undefined ? { offer: call.offer } : {}
      this.#session.change(entry.itemId, 'call', { title: entry.title, ...offer })
      const proposed = proposedOf(call)
      const loop = looping.find(({ callId }) => callId === proposed.callId)
      if (loop === undefined || proposed.kind === 'invalid') return this.#checked(call, proposed, entry)
      const subject = `${loop.name} ${entry.title}`.trim()
      return { kind: 'question', callId: loop.callId, question: this.#deps.words().loopQuestion(subject) }
    })
  }

  /**
   * With constraints in force, a change must say which of them it breaks: one that breaks any becomes a question, one
   * that does not say is not carried out. A plan is held to the goal as well, and one that does not say is asked about.
   *
   * Source: `docs/decisions/direct-path.md`, Checks.
   */
  #checked(read: ReadCall, proposed: ProposedCall, entry: OpenCall): ProposedCall {
    const { turn, course } = this.#session.state
    if (read.kind === 'invalid' || read.kind === 'boundary' || !turn.isDirect) return proposed
    const { callId } = proposed
    const isPlan = proposed.kind === 'plan' && (course.goal !== '' || course.constraints.length > 0)
    const isChecked = proposed.kind === 'world' && isChange(proposed) && course.constraints.length > 0
    const conflicts = read.conflicts?.trim()
    if (!(isPlan || isChecked) || conflicts === '') return proposed
    if (conflicts === undefined && !isPlan) {
      this.#entries.set(callId, { ...entry, problem: this.#deps.words().checkMissing() })
      return { kind: 'invalid', callId }
    }
    const question = this.#deps.words().checkQuestion(entry.title, conflicts ?? '')
    return { kind: 'question', callId, question }
  }

  /** Returns the checks that are due at the end of the turn, as calls that the host makes. A stop ends them. */
  async proposeChecks(signal: AbortSignal): Promise<ProposedCall[]> {
    const made = await this.#checks.propose()
    for (const { call, open } of made) this.#entries.set(idOf(call), open)
    if (signal.aborted) for (const { call } of made) this.end(idOf(call), 'stopped', null)
    return made.map(({ call }) => proposedOf(call))
  }

  /** Reads the open calls again, on the files as they are now. */
  async proposeAgain(): Promise<ProposedCall[]> {
    return (await this.#readAgain()).map(proposedOf)
  }

  /**
   * Reads the calls again that open gates ask about. A command that had run in a copy becomes the call that takes over
   * its changes. Calls that no longer apply are left out, also such a command whose copy is gone.
   */
  async reopen(): Promise<PreparedCall[]> {
    const open: PreparedCall[] = []
    for (const call of await this.#readAgain()) {
      const entry = this.#entries.get(idOf(call))
      if (entry === undefined) continue
      const found = await reopenedCall(entry, this.#session.item(entry.itemId), this.#deps.log)
      if (found !== null) open.push(found)
    }
    return open
  }

  options(callId: string): string[] {
    return this.#entries.get(callId)?.options ?? []
  }

  async askConsent(callIds: readonly string[]): Promise<void> {
    const entries = callIds.flatMap((callId) => this.#entries.get(callId) ?? [])
    for (const { itemId } of entries) this.#session.change(itemId, 'call', { state: 'asked' })
    const { rationale } = this.#session.state.turn
    const calls = entries.flatMap(({ call }) => call ?? [])
    const boundary = entries.find((entry) => entry.boundary !== null)?.boundary ?? null
    const { consent } = this.#deps
    this.#tell(await this.#judged((context) => consent.ask(context, calls, rationale, boundary)))
  }

  /** Asks for consent to the plan, and tells the machine. */
  async askPlan(): Promise<void> {
    const { plan } = this.#session.state
    if (plan !== null) this.#tell(await this.#deps.consent.askPlan(this.#context(), plan))
  }

  /** Errors: `gate/not-open`, `gate/too-early`. */
  async answerGate(input: GateAnswerInput): Promise<void> {
    const { gateId } = input
    const isOpen = this.#session.state.gates.some((gate) => gate.gateId === gateId)
    if (!isOpen) throw new AppError({ code: 'gate/not-open', gateId })
    const answer = await this.#deps.consent.answer(this.#context(), input)
    if (answer.kind === 'approved') {
      // The calls as they shall run, without the hunks that the user refused.
      for (const call of answer.calls) {
        const entry = this.#entries.get(call.callId)
        if (entry !== undefined) entry.call = call
      }
      this.#writer.closeGate(gateId, 'approved', null)
      this.#dispatch({ type: 'gate.approved', gateId, answers: answer.answers })
    } else if (answer.kind === 'rejected') {
      this.#writer.closeGate(gateId, 'rejected', answer.reason)
      // A message sent while the gate was open is taken as the reason: the model reads it, and the turn goes on.
      this.#dispatch({ type: 'gate.rejected', gateId, reason: answer.reason ?? this.#writer.said })
    } else {
      if (answer.items === null) this.#writer.closeGate(gateId, 'void', null)
      this.#dispatch({ type: 'gate.void', gateId, items: answer.items })
    }
  }

  /**
   * Carries a call out as it was consented to, and tells the machine that it has ended. Consent without a question
   * that has waited behind other calls is checked again.
   */
  async run(record: DecisionRecord): Promise<void> {
    const { callId, hasWaited = false } = record
    this.#session.setActivity({ phase: 'running', progress: null })
    const call = this.#entries.get(callId)?.call ?? undefined
    let isOk = false
    let files: string[] = []
    let done: CarriedOut = { isOk, call }
    try {
      const refusal =
        hasWaited && call !== undefined ? await this.#deps.consent.revalidate(this.#context(), call) : null
      if (refusal !== null) this.end(callId, refusal === '' ? 'not-run' : 'denied', refusal || null)
      else done = await this.#carryOut(record)
      isOk = done.isOk
      files = isOk && done.call !== undefined ? filesOf(done.call) : []
      for (const path of files) this.#dispatch({ type: 'reference.added', reference: `file:${path}` })
    } finally {
      // Also where its result could not be stored: a call that never ends blocks all that follows.
      const changed = done.call?.access === 'write' ? files : []
      if (changed.length > 0 && done.call?.facts.kind === 'change') this.#checks.changed(done.call.facts)
      // While a gate asks about what the command left, the call has not finished.
      if (done.waits !== true) {
        const hasProblems = this.#checks.hasProblems(callId)
        this.#dispatch({ type: 'call.finished', callId, isOk, changed, hasProblems })
      }
    }
  }

  stop(callId: string): void {
    this.#entries.get(callId)?.abort.abort()
  }

  /** Ends a call that does not run. */
  end(callId: string, why: CallOutcome, reason: string | null): void {
    const entry = this.#entries.get(callId)
    const outcome = why === 'void' && entry?.hasLostCopy === true ? 'copy-lost' : why
    if (entry?.check != null && outcome === 'rejected' && reason !== null)
      this.#checks.refused(entry.check, reason)
    if (entry?.declined !== undefined) {
      this.#finish(callId, entry, entry.declined(reason, outcome === 'rejected'))
      return
    }
    const isDone = outcome === 'accepted' || outcome === 'answered'
    const { words } = this.#deps
    // On the direct path the result of a plan tells how to work. Other models have a playbook.
    const isPlan = entry?.isPlan === true && outcome === 'accepted' && this.#session.state.turn.isDirect
    const text = entry?.problem || (isPlan ? words().planAccepted() : words().outcome(outcome, reason))
    if (entry !== undefined)
      this.#session.change(entry.itemId, 'call', { state: isDone ? 'done' : 'refused', outcome, text })
    this.#entries.delete(callId)
    if (entry?.check != null) this.#checks.notRun(entry.check)
    else this.#writer.result(callId, text)
  }

  async #readAgain(): Promise<ReadCall[]> {
    const callIds = this.#session.state.calls.map(({ callId }) => callId)
    const found = this.#session.itemsAbout('call', ...callIds)
    const items = callIds.flatMap((callId): CallItem[] => found.filter((item) => item.callId === callId))
    if (items.length === 0) return []
    const raw = items.map(({ callId, name, args }) => ({ callId, name, args }))
    const read = await this.#deps.toolbox.prepare(raw)
    for (const [index, call] of read.entries())
      this.#entries.set(idOf(call), openCallOf(call, items[index]?.itemId ?? '', checkOf(items[index])))
    return read
  }

  #context(): GateContext {
    return consentContext(this.#session, this.#deps.root)
  }

  /** Asks for consent, again where the user has changed the mode meanwhile. */
  async #judged(ask: (context: GateContext) => Promise<ConsentFinding>): Promise<ConsentFinding> {
    for (;;) {
      const context = this.#context()
      const finding = await ask(context)
      if (this.#session.state.mode === context.mode) return finding
      for (const { gateId } of finding.gates) this.#deps.consent.withdraw(context.sessionId, gateId)
    }
  }

  #tell({ records, denied, gates }: ConsentFinding): void {
    if (records.length > 0) this.#dispatch({ type: 'consent.granted', records })
    for (const { callId, reason } of denied)
      this.#dispatch({ type: 'consent.denied', callIds: [callId], reason })
    for (const gate of gates) this.#open(gate)
  }

  /** Returns false where the calls of the gate ended meanwhile: it is not shown, and would stand before all others. */
  #open(gate: AgentGate): boolean {
    const { gateId } = gate
    this.#dispatch({ type: 'gate.opened', gate })
    const isOpen = this.#session.state.gates.some((one) => one.gateId === gateId)
    if (!isOpen) this.#deps.consent.withdraw(this.#session.sessionId, gateId)
    return isOpen
  }

  async #carryOut({ callId, hash, by, name }: DecisionRecord): Promise<CarriedOut> {
    const entry = this.#entries.get(callId)
    if (entry?.call == null || entry.call.hash !== hash) {
      this.end(callId, 'void', null)
      return { isOk: false, call: undefined }
    }
    const { itemId, call } = entry
    const isAgain = entry.declined !== undefined
    // The command runs again, outside of its copy: the result from the copy is not shown any more.
    const before = isAgain && call.facts.kind === 'command' ? { view: null } : {}
    this.#session.change(itemId, 'call', { state: 'running', ...(isAgain ? before : { text: '' }) })
    const isSandboxed = call.isSandboxed === true || (by === 'grant' && name === sandboxGrant)
    const result = await this.#resultOf(entry, call, isSandboxed)
    const { consent } = this.#deps
    const { rationale } = this.#session.state.turn
    const { effects, hindrance, isLeftOpen } = result
    if (isLeftOpen) {
      this.#session.change(itemId, 'call', { state: 'waiting', text: '' })
      this.#dispatch({ type: 'call.left', callId })
      return { isOk: false, call, waits: true }
    }
    if (effects !== undefined && entry.check !== null) await effects.drop()
    else if (effects !== undefined) {
      const finding = await this.#judged((context) => consent.askEffects(context, effects, rationale))
      if (finding.gates.length > 0) effects.keep()
      this.#session.change(itemId, 'call', { view: result.view })
      return this.#goOn(entry, effects, finding, declinedEffects(effects, this.#deps.log))
    }
    if (hindrance !== undefined) {
      const outside: PreparedCall = { ...call }
      delete outside.isSandboxed
      const finding = await this.#judged((context) =>
        consent.askOutside(context, outside, rationale, hindrance),
      )
      // While the approval is open, this stored result tells the next host that the command ran in a copy.
      if (finding.gates.length > 0) this.#session.change(itemId, 'call', { view: result.view })
      return this.#goOn(entry, outside, finding, (reason, isByUser) => {
        // The model is told of a check in another way.
        if (!isByUser || reason === null || entry.check !== null) return result
        return { ...result, text: `${result.text}\n${this.#deps.words().outsideRefused(reason)}` }
      })
    }
    this.#finish(callId, entry, result)
    return { isOk: result.isOk, call }
  }

  /** Asks about what follows from a command that has run in a copy: its changes, or to run it outside. */
  async #goOn(
    entry: OpenCall,
    call: PreparedCall,
    { records: [record], denied: [denied], gates: [gate] }: ConsentFinding,
    declined: (reason: string | null, isByUser: boolean) => CallResult,
  ): Promise<CarriedOut> {
    const { callId } = call
    entry.call = call
    if (record !== undefined) {
      const result = await this.#resultOf(entry, call, false)
      this.#finish(callId, entry, result)
      return { isOk: result.isOk, call }
    }
    entry.declined = declined
    if (gate !== undefined) {
      this.#session.change(entry.itemId, 'call', { state: 'asked' })
      if (this.#open(gate)) return { isOk: false, call, waits: true }
    }
    const result = declined(denied?.reason ?? null, false)
    this.#finish(callId, entry, result)
    return { isOk: result.isOk, call: undefined }
  }

  #finish(callId: string, entry: OpenCall, result: CallResult): void {
    const { itemId, check, call } = entry
    this.#entries.delete(callId)
    this.#session.change(itemId, 'call', {
      state: result.isOk ? 'done' : 'failed',
      text: result.shownText ?? result.text,
      view: result.view,
    })
    if (result.ended !== undefined) this.#followCommand(itemId, result.ended)
    const touched = [...(call === null ? [] : touchedBy(call)), ...(entry.touched ?? [])]
    if (check === null) this.#writer.result(callId, result.text, { images: result.images, touched })
    this.#checks.ended({ callId, itemId, check, call }, result)
    this.#count(result)
  }

  async #resultOf(entry: OpenCall, call: PreparedCall, isSandboxed: boolean): Promise<CallResult> {
    const { itemId, abort } = entry
    // Which files the call changes is not known: those that others have changed before it are found now.
    const isOpen = call.access !== 'read' && !call.isReadOnly && call.changes.length === 0 && !isSandboxed
    if (isOpen) await this.#writer.tellChanged()
    try {
      const result = await call.run({
        signal: abort.signal,
        onOutput: (text) => this.#session.grow(itemId, 'text', text),
        isSandboxed,
        also: this.#session.changeNotes,
      })
      if (isOpen) entry.touched = await this.#writer.passChanged()
      return result
    } catch (error) {
      const info = isAppError(error) ? error.info : { logId: this.#deps.log.bug(error, `tool ${call.tool}`) }
      return { isOk: false, text: JSON.stringify(info), view: { kind: 'text' } }
    }
  }

  #followCommand(itemId: string, ended: Promise<CommandEnding>): void {
    void ended.then(({ end, exitCode }) => {
      // Undefined where the turn was taken back.
      const item = this.#session.item(itemId)
      if (item?.kind !== 'call' || item.view?.kind !== 'command') return
      this.#session.change(itemId, 'call', { view: { ...item.view, ended: { end, exitCode } } })
    })
  }

  #count({ isOk, view }: CallResult): void {
    const change = view.kind === 'change' ? view : view.kind === 'command' ? view.sandboxed : undefined
    this.#session.count({
      calls: 1,
      failedCalls: isOk ? 0 : 1,
      changedFiles: change !== undefined && isOk ? change.files.length : 0,
    })
  }
}

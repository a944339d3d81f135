import { readTypedWord, type TypedWord } from '../../shared/consent/typed-consent.ts'
import type {
  AgentGate,
  GateAnswer,
  GateItem,
  StandingConsent,
} from '../../shared/domain/session/agent-consent.ts'
import type { AgentPlan } from '../../shared/domain/session/agent-plan.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import type { GateAnswerInput, GateCall, GateDiff, GateView } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { StopWatching } from '../platform/files/file-watcher.ts'
import type { AuditRepository } from '../store/audit-repository.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import { type AuditLog, auditSubject, createAuditLog } from './audit-log.ts'
import { GateAsking } from './gate-asking.ts'
import type { GateData } from './gate-data.ts'
import { GateQueue } from './gate-queue.ts'
import { subjectOf } from './gate-view.ts'
import { denialText } from './gate-words.ts'
import { type ConsentBasis, type Denial, denialOf } from './judge.ts'
import { type Approval, approvalOf, isAnswerTo, isReadable, itemsOf, type OpenGate } from './open-gate.ts'
import { RememberedConsent } from './remembered-consent.ts'
import type { RuleService } from './rules/rule-service.ts'
import { isFreeToRead } from './rules/rules.ts'
import type { GateSandbox } from './sandboxable.ts'
import { deniableParts } from './staged-parts.ts'
import type { TrustService } from './trust-service.ts'
import type { WeighedCall } from './weighed-call.ts'

/**
 * The session that asks for consent, with its folder and mode.
 *
 * Shape: `root` is the folder's real path; `language` that of the model's prompts. `task` is the current task in one
 * line, shown as the intent of a call; empty where none is known.
 */
export type GateContext = {
  sessionId: string
  workId: string
  root: string
  mode: AgentMode
  language: 'ja' | 'en'
  task: string
}

/**
 * The result of judging calls: each call is in exactly one of the three lists.
 *
 * Shape: `gates` in the order in which they are to be opened; `reason` as the model is told.
 */
export type ConsentFinding = {
  records: StandingConsent[]
  denied: { callId: string; reason: string; denial: Denial }[]
  gates: AgentGate[]
}

/**
 * The result of an answer to a gate; the first two kinds close it.
 *
 * Shape: `calls` are the approved ones as they shall run, refused hunks taken out, their `hash` that of the
 * answer; empty for a plan. `items` is what is asked and shown now; null: it no longer applies, and is closed.
 */
type AnsweredGate =
  | { kind: 'approved'; answers: GateAnswer[]; calls: PreparedCall[] }
  | { kind: 'rejected'; reason: string | null }
  | { kind: 'void'; items: GateItem[] | null }

/** Gates as a session has kept them. Shape: `calls` are prepared anew. */
export type StoredGates = {
  gates: readonly AgentGate[]
  calls: readonly PreparedCall[]
  plan: AgentPlan | null
  rationale: string
}

export type GateServiceDeps = {
  clock: Clock
  random: Random
  log: Log
  disk: Disk
  shell: ShellCheck
  data: GateData
  rules: RuleService
  trust: Pick<TrustService, 'get'>
  sandbox: GateSandbox
  audit: Pick<AuditRepository, 'add'>
  /** Shape: an absolute path. */
  watchFile(path: string, onChange: () => void): StopWatching
}

type AskedApply = [context: GateContext, staged: PreparedCall, rationale: string, mustAsk?: boolean]
type AskedOutside = [context: GateContext, call: PreparedCall, rationale: string, why: SandboxHindrance]

/** The queue of all sessions' questions for consent. Writes every decision to the audit log. */
export type GateService = {
  /**
   * Judges the calls of one answer. Its edits that need consent form one gate; each command or read its own.
   * `rationale` is the decision's: shown where a call gives no reason.
   */
  ask(context: GateContext, calls: readonly PreparedCall[], rationale: string): Promise<ConsentFinding>
  askPlan(context: GateContext, plan: AgentPlan): Promise<ConsentFinding>
  /**
   * Judges again a call that passed without a question and has waited since: the mode, the rules, the trust or the
   * targets of its paths may have changed. Returns null where it still passes; else the reason, empty where it
   * would have to be asked about.
   */
  revalidate(context: GateContext, call: PreparedCall): Promise<string | null>
  /** Returns the verdicts on calls that would be asked about together. Opens no gate and records nothing. */
  weigh(context: GateContext, calls: readonly PreparedCall[]): Promise<WeighedCall[]>
  /** Does the same for staged changes: each is judged by the changes that it makes, file by file. */
  weighStaged(context: GateContext, calls: readonly PreparedCall[]): Promise<WeighedCall[]>
  /** Records verdicts that need no question and returns them; calls that would be asked about are left out. */
  settle(context: GateContext, weighed: readonly WeighedCall[]): ConsentFinding
  /** True for a command that needs no question and may run in a copy of the folder. */
  mayRunInCopy(context: GateContext, weighed: WeighedCall): Promise<boolean>
  /** Returns the consent of a plan that needs no question; null for any other plan. */
  passPlan(context: GateContext, plan: AgentPlan): StandingConsent | null
  /** Asks about the changes of a command that ran in a copy, prepared as one call. */
  askEffects(context: GateContext, effects: PreparedCall, rationale: string): Promise<ConsentFinding>
  /** Asks about a command that failed in a copy, for the reason `why`, and would run outside of it. */
  askOutside: (...given: AskedOutside) => Promise<ConsentFinding>
  /** Asks about staged changes, prepared as one call. `mustAsk`: no rule and no mode grants them. */
  askApply: (...given: AskedApply) => Promise<ConsentFinding>

  /** Returns a text that changes when rules, trust or the folders of the session change. */
  basisVersion(context: Pick<GateContext, 'sessionId' | 'root'>): Promise<string>

  /** Returns the open gates, the front one first. */
  openGates(sessionId: string): GateView[]
  /** Errors: `gate/not-open`. */
  view(sessionId: string, gateId: string): GateView
  /** Errors: `gate/not-open`; `file/not-found` for a file that the call does not change. */
  diff(sessionId: string, gateId: string, callId: string, path: string): GateDiff

  /**
   * Checks the files again, then closes the gate; or leaves it open where what was shown is not what would
   * be done now.
   *
   * Errors: `gate/not-open`; `gate/too-early`.
   */
  answer(context: GateContext, input: GateAnswerInput): Promise<AnsweredGate>
  /** Reads a typed message as an answer to the front gate; null where it is none, or another gate was meant. */
  typed(
    sessionId: string,
    message: { text: string; gateId: string; sincePaintedMs: number },
  ): TypedWord | null
  /** Returns the answer that a typed yes or no stands for: one for the whole gate. Errors: `gate/not-open`. */
  wholeAnswer(
    sessionId: string,
    gateId: string,
    verdict: 'approve' | 'refuse',
    sincePaintedMs: number,
    reason?: string | null,
  ): GateAnswerInput

  /** Closes one gate or all of the session's without an answer. */
  withdraw(sessionId: string, gateId?: string): void
  /**
   * Opens stored gates again under their ids, with their calls assessed again; a gate whose calls are gone or no
   * longer apply is returned with `items: null`. `plan` is a plan gate's; `calls` hold the calls of the others.
   */
  restore(context: GateContext, stored: StoredGates): Promise<{ gateId: string; items: GateItem[] | null }[]>
  /**
   * Reports that files of an open gate changed: it shows other `items`, or is gone (null). Returns the unsubscriber.
   */
  onVoid(listener: (sessionId: string, gateId: string, items: GateItem[] | null) => void): () => void

  /** Sets the rules that were stored with a session, as the rule service keeps them. */
  setSessionRules(sessionId: string, rules: readonly ConsentRule[]): void
  /** Sets the added folders of a session, by real paths, as the caller stored them with it. */
  setFolders(sessionId: string, folders: readonly string[]): void
  /** True for files that a search may show without a question: no secret, and no deny or ask rule names it. */
  readFilter(context: Pick<GateContext, 'sessionId' | 'root'>): Promise<(path: string) => boolean>
  close(): void
}

export function createGateService(deps: GateServiceDeps): GateService {
  return new Gates(deps)
}

class Gates implements GateService {
  readonly #deps: GateServiceDeps
  readonly #audit: AuditLog
  readonly #queue: GateQueue
  readonly #asking: GateAsking
  readonly #remembered: RememberedConsent
  readonly #folders = new Map<string, readonly string[]>()

  constructor(deps: GateServiceDeps) {
    this.#deps = deps
    this.#audit = createAuditLog({ clock: deps.clock, repository: deps.audit })
    this.#queue = new GateQueue({
      clock: deps.clock,
      log: deps.log,
      watchFile: deps.watchFile,
      show: (gate, calls) => this.#asking.show(gate, calls),
      noteVoid: (gate) => this.#noteStopped(gate, 'void', null),
    })
    const folders = { of: (sessionId: string) => this.#folders.get(sessionId) ?? [] }
    this.#asking = new GateAsking({ ...deps, folders }, this.#audit, this.#queue)
    this.#remembered = new RememberedConsent(deps, (context, call) => this.#asking.homeOf(context, call))
  }

  ask(context: GateContext, calls: readonly PreparedCall[], rationale: string): Promise<ConsentFinding> {
    return this.#asking.judge(context, calls, rationale, 'calls')
  }

  askApply(...[context, staged, rationale, mustAsk]: AskedApply): Promise<ConsentFinding> {
    return this.#asking.judge(context, [staged], rationale, 'apply', null, mustAsk)
  }

  mayRunInCopy = (...given: Parameters<GateService['mayRunInCopy']>) => this.#asking.mayRunInCopy(...given)

  askEffects(context: GateContext, effects: PreparedCall, rationale: string): Promise<ConsentFinding> {
    return this.#asking.judge(context, [effects], rationale, 'effects')
  }

  askOutside(...[context, call, rationale, hindrance]: AskedOutside): Promise<ConsentFinding> {
    return this.#asking.judge(context, [call], rationale, 'calls', hindrance)
  }

  revalidate = (...given: Parameters<GateService['revalidate']>) => this.#asking.revalidate(...given)

  weigh = (...given: Parameters<GateService['weigh']>) => this.#asking.weigh(...given)

  weighStaged = (...given: Parameters<GateService['weighStaged']>) => this.#asking.weighStaged(...given)

  basisVersion = (...given: Parameters<GateService['basisVersion']>) => this.#asking.basisVersion(...given)

  settle(context: GateContext, weighed: readonly WeighedCall[]): ConsentFinding {
    return this.#asking.settle(context, weighed)
  }

  passPlan(context: GateContext, plan: AgentPlan): StandingConsent | null {
    return this.#asking.passPlan(context, plan)
  }

  async askPlan(context: GateContext, plan: AgentPlan): Promise<ConsentFinding> {
    return this.#asking.judgePlan(context, plan)
  }

  restore(
    context: GateContext,
    stored: StoredGates,
  ): Promise<{ gateId: string; items: GateItem[] | null }[]> {
    return this.#asking.restore(context, stored)
  }

  openGates(sessionId: string): GateView[] {
    return this.#queue.of(sessionId).map(({ view }) => view)
  }

  view(sessionId: string, gateId: string): GateView {
    return this.#queue.get(sessionId, gateId).view
  }

  diff(sessionId: string, gateId: string, callId: string, path: string): GateDiff {
    const gate = this.#queue.get(sessionId, gateId)
    const facts = gate.assessments.find(({ call }) => call.callId === callId)?.call.facts
    const file = facts?.kind === 'change' ? facts.files.find((changed) => changed.path === path) : undefined
    if (file === undefined) throw new AppError({ code: 'file/not-found', path })
    return { path, oldText: file.oldText, newText: file.newText }
  }

  async answer(context: GateContext, input: GateAnswerInput): Promise<AnsweredGate> {
    const gate = this.#queue.get(context.sessionId, input.gateId)
    if (!isReadable(gate, input.sincePaintedMs, this.#deps.clock.now()))
      throw new AppError({ code: 'gate/too-early' })
    if (input.verdict === 'refuse') return this.#reject(gate, input.reason)
    const bases = await Promise.all(gate.assessments.map(({ call }) => this.#asking.basisOf(context, call)))
    const found = await this.#queue.renew(gate)
    if (found === 'void') return { kind: 'void', items: null }
    // Nothing is awaited from here on: the gate cannot change any more.
    if (!this.#queue.isOpen(gate)) throw new AppError({ code: 'gate/not-open', gateId: gate.gateId })
    if (!isAnswerTo(gate, input)) return { kind: 'void', items: itemsOf(gate) }
    const reason = this.#denialNow(gate, bases, context)
    if (reason !== null) return this.#reject(gate, reason, 'denied')
    const approval = approvalOf(gate, input.answers)
    if (approval === null) return this.#reject(gate, input.reason)
    this.#noteApproval(gate, approval)
    this.#queue.close(gate)
    this.#remembered.note(gate, approval, input.remember)
    if (input.remember !== 'sandbox') return { kind: 'approved', ...approval }
    const calls = approval.calls.map((call) => ({ ...call, isSandboxed: true as const }))
    return { kind: 'approved', answers: approval.answers, calls }
  }

  typed(
    sessionId: string,
    { text, gateId, sincePaintedMs }: { text: string; gateId: string; sincePaintedMs: number },
  ): TypedWord | null {
    const [front] = this.#queue.of(sessionId)
    if (front?.gateId !== gateId || !isReadable(front, sincePaintedMs, this.#deps.clock.now())) return null
    return readTypedWord({ text, beganAt: sincePaintedMs, paintedAt: 0 })
  }

  wholeAnswer(
    sessionId: string,
    gateId: string,
    verdict: 'approve' | 'refuse',
    sincePaintedMs: number,
    reason: string | null = null,
  ): GateAnswerInput {
    const answers = this.#queue.get(sessionId, gateId).view.calls.map(({ callId, hash }) => ({
      callId,
      shownHash: hash,
      isApproved: verdict === 'approve',
      refusedHunks: [],
    }))
    return { gateId, sincePaintedMs, verdict, answers, reason, remember: null }
  }

  withdraw(sessionId: string, gateId?: string): void {
    for (const gate of this.#queue.of(sessionId)) {
      if (gateId !== undefined && gate.gateId !== gateId) continue
      this.#noteStopped(gate, 'withdrawn', null)
      this.#queue.close(gate)
    }
  }

  onVoid(listener: (sessionId: string, gateId: string, items: GateItem[] | null) => void): () => void {
    return this.#queue.onVoid(listener)
  }

  setSessionRules(sessionId: string, rules: readonly ConsentRule[]): void {
    this.#deps.rules.setSessionRules(sessionId, rules)
  }

  setFolders(sessionId: string, folders: readonly string[]): void {
    this.#folders.set(sessionId, [...folders])
  }

  async readFilter({
    sessionId,
    root,
  }: Pick<GateContext, 'sessionId' | 'root'>): Promise<(path: string) => boolean> {
    const { data } = this.#deps
    const held = await this.#asking.rulesOf({ sessionId, root }, null)
    return (path) => !data.kinds.isSecret(path) && isFreeToRead(path, held)
  }

  close(): void {
    this.#queue.closeAll()
  }

  /** Returns a denial by a rule, mode or loss of trust that came while the gate was open; a yes does not undo it. */
  #denialNow(gate: OpenGate, bases: readonly ConsentBasis[], { language }: GateContext): string | null {
    for (const [index, assessment] of gate.assessments.entries()) {
      const basis = bases[index]
      if (basis === undefined) continue
      const parts =
        gate.kind === 'apply' || gate.kind === 'effects' ? deniableParts(assessment) : [assessment]
      const denial = parts.map((part) => denialOf(part, basis)).find((found) => found !== null) ?? null
      if (denial !== null) return denialText(this.#deps.data.denialWords[language], denial)
    }
    return null
  }

  #reject(gate: OpenGate, reason: string | null, verdict: 'refused' | 'denied' = 'refused'): AnsweredGate {
    this.#noteStopped(gate, verdict, reason)
    this.#queue.close(gate)
    return { kind: 'rejected', reason }
  }

  #noteStopped(
    gate: OpenGate,
    verdict: 'refused' | 'denied' | 'void' | 'withdrawn',
    reason: string | null,
  ): void {
    for (const call of gate.view.calls) {
      this.#audit.stopped(gate.sessionId, this.#subject(gate, call), verdict, reason)
    }
  }

  #noteApproval(gate: OpenGate, { answers }: Approval): void {
    for (const call of gate.view.calls) {
      const subject = this.#subject(gate, call)
      const hash = answers.find(({ callId }) => callId === call.callId)?.hash ?? null
      if (hash === null) this.#audit.stopped(gate.sessionId, subject, 'refused', null)
      else {
        const record = { callId: call.callId, by: 'user', name: null, hash } as const
        this.#audit.passed(gate.sessionId, subject, 'approved', record)
      }
    }
  }

  #subject(gate: OpenGate, call: GateCall) {
    const assessment = gate.assessments.find((one) => one.call.callId === call.callId)
    return auditSubject(call, assessment === undefined ? call.intent : subjectOf(assessment.call))
  }
}

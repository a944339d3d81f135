import { readTypedWord, type TypedWord } from '../../shared/consent/typed-consent.ts'
import type {
  AgentGate,
  GateAnswer,
  GateItem,
  StandingConsent,
} from '../../shared/domain/session/agent-consent.ts'
import type { AgentPlan } from '../../shared/domain/session/agent-plan.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { ConsentRule, NewRule } from '../../shared/domain/session/consent-rule.ts'
import type { GateAnswerInput, GateDiff, GateView } from '../../shared/domain/session/gate.ts'
import { textTools, writesText } from '../../shared/domain/session/tool-name.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { StopWatching } from '../platform/files/file-watcher.ts'
import type { AuditRepository } from '../store/sessions/audit-repository.ts'
import { pathBelow } from '../tools/defining/root-path.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import { GateAsking } from './gate-asking.ts'
import { denialText, type GateData } from './gate-data.ts'
import { type ConsentBasis, type Denial, denialOf, type GateSandbox } from './judge.ts'
import { type Approval, approvalOf, isAnswerTo, isReadable, itemsOf, type OpenGate } from './open-gate.ts'
import type { RuleService } from './rules/rule-service.ts'
import { isFreeToRead } from './rules/rules.ts'
import { deniableParts } from './staged-parts.ts'
import type { TrustService } from './trust-service.ts'

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

/** The queue of all sessions' questions for consent. Writes every decision to the audit log. */
export type GateService = Pick<Gates, keyof Gates>

export function createGateService(deps: GateServiceDeps): GateService {
  return new Gates(deps)
}

class Gates extends GateAsking {
  /** Returns the open gates, the front one first. */
  openGates(sessionId: string): GateView[] {
    return this.queue.of(sessionId).map(({ view }) => view)
  }

  /** Errors: `gate/not-open`. */
  view(sessionId: string, gateId: string): GateView {
    return this.queue.get(sessionId, gateId).view
  }

  /** Errors: `gate/not-open`; `file/not-found` for a file that the call does not change. */
  diff(sessionId: string, gateId: string, callId: string, path: string): GateDiff {
    const gate = this.queue.get(sessionId, gateId)
    const facts = gate.assessments.find(({ call }) => call.callId === callId)?.call.facts
    const file = facts?.kind === 'change' ? facts.files.find((changed) => changed.path === path) : undefined
    if (file === undefined) throw new AppError({ code: 'file/not-found', path })
    return { path, oldText: file.oldText, newText: file.newText }
  }

  /**
   * Checks the files again, then closes the gate; or leaves it open where what was shown is not what would
   * be done now.
   *
   * Errors: `gate/not-open`; `gate/too-early`.
   */
  async answer(context: GateContext, input: GateAnswerInput): Promise<AnsweredGate> {
    const gate = this.queue.get(context.sessionId, input.gateId)
    if (!isReadable(gate, input.sincePaintedMs, this.deps.clock.now()))
      throw new AppError({ code: 'gate/too-early' })
    if (input.verdict === 'refuse') return this.#reject(gate, input.reason)
    const bases = await Promise.all(gate.assessments.map(({ call }) => this.basisOf(context, call)))
    const found = await this.queue.renew(gate)
    if (found === 'void') return { kind: 'void', items: null }
    // Nothing is awaited from here on: the gate cannot change any more.
    if (!this.queue.isOpen(gate)) throw new AppError({ code: 'gate/not-open', gateId: gate.gateId })
    if (!isAnswerTo(gate, input)) return { kind: 'void', items: itemsOf(gate) }
    const reason = this.#denialNow(gate, bases, context)
    if (reason !== null) return this.#reject(gate, reason, 'denied')
    const approval = approvalOf(gate, input.answers)
    if (approval === null) return this.#reject(gate, input.reason)
    this.#noteApproval(gate, approval)
    this.queue.close(gate)
    rememberConsent(this.deps, gate, approval, input.remember, (call) => this.homeOf(gate.context, call))
    if (input.remember !== 'sandbox') return { kind: 'approved', ...approval }
    const calls = approval.calls.map((call) => ({ ...call, isSandboxed: true as const }))
    return { kind: 'approved', answers: approval.answers, calls }
  }

  /** Reads a typed message as an answer to the front gate; null where it is none, or another gate was meant. */
  typed(
    sessionId: string,
    { text, gateId, sincePaintedMs }: { text: string; gateId: string; sincePaintedMs: number },
  ): TypedWord | null {
    const [front] = this.queue.of(sessionId)
    if (front?.gateId !== gateId || !isReadable(front, sincePaintedMs, this.deps.clock.now())) return null
    return readTypedWord({ text, beganAt: sincePaintedMs, paintedAt: 0 })
  }

  /** Returns the answer that a typed yes or no stands for: one for the whole gate. Errors: `gate/not-open`. */
  wholeAnswer(
    sessionId: string,
    gateId: string,
    verdict: 'approve' | 'refuse',
    sincePaintedMs: number,
    reason: string | null = null,
  ): GateAnswerInput {
    const answers = this.queue.get(sessionId, gateId).view.calls.map(({ callId, hash }) => ({
      callId,
      shownHash: hash,
      isApproved: verdict === 'approve',
      refusedHunks: [],
    }))
    return { gateId, sincePaintedMs, verdict, answers, reason, remember: null }
  }

  /** Closes one gate or all of the session's without an answer. */
  withdraw(sessionId: string, gateId?: string): void {
    for (const gate of this.queue.of(sessionId)) {
      if (gateId !== undefined && gate.gateId !== gateId) continue
      this.noteStopped(gate, 'withdrawn', null)
      this.queue.close(gate)
    }
  }

  /**
   * Reports that files of an open gate changed: it shows other `items`, or is gone (null). Returns the unsubscriber.
   */
  onVoid(listener: (sessionId: string, gateId: string, items: GateItem[] | null) => void): () => void {
    return this.queue.onVoid(listener)
  }

  /** Sets the rules that were stored with a session, as the rule service keeps them. */
  setSessionRules(sessionId: string, rules: readonly ConsentRule[]): void {
    this.deps.rules.setSessionRules(sessionId, rules)
  }

  /** Returns a test for files that a search may show without a question: no secret, none that a rule denies or asks. */
  async readFilter(context: Pick<GateContext, 'sessionId' | 'root'>): Promise<(path: string) => boolean> {
    const { kinds } = this.deps.data
    const held = await this.rulesOf(context, null)
    return (path) => !kinds.isSecret(path) && isFreeToRead(path, held)
  }

  close(): void {
    this.queue.closeAll()
  }

  /** Returns a denial by a rule, mode or loss of trust that came while the gate was open; a yes does not undo it. */
  #denialNow(gate: OpenGate, bases: readonly ConsentBasis[], { language }: GateContext): string | null {
    for (const [index, assessment] of gate.assessments.entries()) {
      const basis = bases[index]
      if (basis === undefined) continue
      const parts =
        gate.kind === 'apply' || gate.kind === 'effects' ? deniableParts(assessment) : [assessment]
      const denial = parts.map((part) => denialOf(part, basis)).find((found) => found !== null) ?? null
      if (denial !== null) return denialText(this.deps.data.denialWords[language], denial)
    }
    return null
  }

  #reject(gate: OpenGate, reason: string | null, verdict: 'refused' | 'denied' = 'refused'): AnsweredGate {
    this.noteStopped(gate, verdict, reason)
    this.queue.close(gate)
    return { kind: 'rejected', reason }
  }

  #noteApproval(gate: OpenGate, { answers }: Approval): void {
    for (const call of gate.view.calls) {
      const subject = this.subject(gate, call)
      const hash = answers.find(({ callId }) => callId === call.callId)?.hash ?? null
      if (hash === null) this.audit.stopped(gate.sessionId, subject, 'refused', null)
      else {
        const record = { callId: call.callId, by: 'user', name: null, hash } as const
        this.audit.passed(gate.sessionId, subject, 'approved', record)
      }
    }
  }
}

/** Saves what an approval allows from then on. `homeOf` finds the added folder of a call; null: the session's own. */
function rememberConsent(
  { rules, sandbox }: GateServiceDeps,
  gate: OpenGate,
  { answers }: Approval,
  remember: GateAnswerInput['remember'],
  homeOf: (call: PreparedCall) => string | null,
): void {
  const { sessionId, context, assessments } = gate
  if (gate.kind === 'effects' || gate.kind === 'apply') {
    // Commands ask about an ignored folder once in a session.
    for (const { top } of gate.view.calls.flatMap(({ effects }) => effects?.ignored ?? []))
      rules.noteFolderConsent(sessionId, top)
  }
  if (remember === 'sandbox') sandbox.turnOn(context.root)
  if (remember === null || remember === 'sandbox') return
  for (const { callId, tool, patterns = [] } of gate.view.calls) {
    const isApproved = answers.some((answer) => answer.callId === callId && answer.hash !== null)
    if (!isApproved) continue
    const { call, subject } = assessments.find((assessment) => assessment.call.callId === callId) ?? {}
    const home = call === undefined ? null : homeOf(call)
    // Of the added server's tool, as it was shown.
    const fingerprint = subject?.kind === 'outside' ? subject.declared?.fingerprint : undefined
    // A rule about a file's text holds for every tool that writes text.
    const tools = writesText(tool) ? textTools : [tool]
    for (const pattern of patterns) {
      // A rule of a folder holds there in every session.
      const place = remember === 'session' || home === null ? pattern : (pathBelow(home, pattern) ?? pattern)
      for (const one of tools) {
        const rule: NewRule = {
          effect: 'allow',
          tool: one,
          pattern: place,
          ...(fingerprint && { fingerprint }),
        }
        if (remember === 'session') rules.saveForSession(sessionId, rule)
        else rules.saveForFolder(home ?? context.root, rule)
      }
    }
  }
}

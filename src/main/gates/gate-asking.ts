import type { AgentGate, GateItem, StandingConsent } from '../../shared/domain/session/agent-consent.ts'
import type { AgentPlan, RiskLevel } from '../../shared/domain/session/agent-plan.ts'
import type { GateCall } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import { type AuditLog, auditSubject } from './audit-log.ts'
import type { GateQueue } from './gate-queue.ts'
import type { ConsentFinding, GateContext, GateServiceDeps, StoredGates } from './gate-service.ts'
import { gateCall, gateView, planCall, planRisk, risksOf, subjectOf } from './gate-view.ts'
import { denialText } from './gate-words.ts'
import { type ConsentBasis, judge, type Verdict } from './judge.ts'
import { agentGate, itemsOf, type OpenGate } from './open-gate.ts'
import { assessCall, type CallAssessment, homeOf } from './risk/call-assessment.ts'
import { heldRules } from './rules/held-rules.ts'
import { unboundTool } from './rules/rules.ts'
import { isSandboxable, mayRunInCopy, sandboxGrant } from './sandboxable.ts'
import { ignoredParts, ignoredVerdict, partsOf, wholeVerdict } from './staged-parts.ts'
import type { WeighedCall } from './weighed-call.ts'

type Deps = Pick<GateServiceDeps, 'random' | 'shell' | 'disk' | 'data' | 'rules' | 'trust' | 'sandbox'> & {
  folders: { of(sessionId: string): readonly string[] }
}

/** Judges calls, and opens gates for those that are not allowed yet. */
export class GateAsking {
  readonly #deps: Deps
  readonly #audit: AuditLog
  readonly #queue: GateQueue

  constructor(deps: Deps, audit: AuditLog, queue: GateQueue) {
    this.#deps = deps
    this.#audit = audit
    this.#queue = queue
  }

  async judge(
    context: GateContext,
    calls: readonly PreparedCall[],
    rationale: string,
    kind: 'calls' | 'apply' | 'effects',
    outside: SandboxHindrance | null = null,
    mustAsk = false,
  ): Promise<ConsentFinding> {
    const found = await (kind === 'calls'
      ? this.weigh(context, calls, outside !== null)
      : this.weighStaged(context, calls))
    const weighed = mustAsk ? found.map(asked) : found
    const finding = this.settle(context, weighed)
    const groups: CallAssessment[][] = []
    let edits: CallAssessment[] | undefined
    for (const { assessment, verdict } of weighed) {
      if (verdict.kind !== 'ask') continue
      if (assessment.files.length > 0 && edits !== undefined) {
        edits.push(assessment)
      } else {
        groups.push([assessment])
        if (assessment.files.length > 0) edits = groups.at(-1)
      }
    }
    const gates: OpenGate[] = []
    for (const group of groups)
      gates.push(await this.#gateOf(context, this.#deps.random.id(), kind, group, rationale, outside))
    // Added together: a gate that changed before the session receives it would be unknown to the session.
    return { ...finding, gates: gates.map((gate) => agentGate(this.#add(gate))) }
  }

  /** Returns the verdicts on calls that would be asked about together. Opens no gate and records nothing. */
  async weigh(
    context: GateContext,
    calls: readonly PreparedCall[],
    isOutside = false,
  ): Promise<WeighedCall[]> {
    const assessments = await Promise.all(calls.map((call) => this.#assess(context, call)))
    const risks = risksOf(assessments)
    return Promise.all(
      assessments.map(async (assessment, index) => {
        const risk = risks[index] ?? { level: 'high', reasons: [] }
        return {
          assessment,
          risk,
          verdict: await this.#verdictOf(context, assessment, risk.level, isOutside),
        }
      }),
    )
  }

  /** Judges one call. The sandbox comes last: it takes commands that need a question or that only the mode allows. */
  async #verdictOf(
    context: GateContext,
    assessment: CallAssessment,
    risk: RiskLevel,
    isOutside: boolean,
  ): Promise<Verdict> {
    const basis = await this.basisOf(context, assessment.call)
    const verdict = judge(assessment, risk, basis)
    const isOpen = verdict.kind === 'ask' || (verdict.kind === 'grant' && verdict.by === 'mode')
    if (isOutside || !isOpen || !this.#deps.sandbox.isOn(context.root)) return verdict
    if (!isSandboxable(assessment, risk, basis, this.homeOf(context, assessment.call))) return verdict
    if (!(await this.#deps.sandbox.isReady(context.root))) return verdict
    return { kind: 'grant', by: 'grant', name: sandboxGrant }
  }

  /** True for a command that needs no question and may run in a copy of the folder. */
  async mayRunInCopy(context: GateContext, { assessment, risk, verdict }: WeighedCall): Promise<boolean> {
    if (verdict.kind !== 'grant') return false
    const basis = await this.basisOf(context, assessment.call)
    return mayRunInCopy(assessment, risk.level, basis, this.homeOf(context, assessment.call))
  }

  /** Judges staged changes file by file; the user is asked about them as a whole. */
  async weighStaged(context: GateContext, calls: readonly PreparedCall[]): Promise<WeighedCall[]> {
    const weighed = await this.weigh(context, calls)
    return Promise.all(
      weighed.map(async ({ assessment, risk }) => {
        const parts = partsOf(assessment).map(async (part) =>
          judge(part, risk.level, await this.basisOf(context, part.call)),
        )
        const ignored = ignoredParts(assessment).map(async (part) => {
          const hasFolderConsent = this.#deps.rules.hasFolderConsent(context.sessionId, part.top)
          const basis = await this.basisOf(context, assessment.call)
          return ignoredVerdict(part, risk.level, { ...basis, hasFolderConsent })
        })
        return { assessment, risk, verdict: wholeVerdict(await Promise.all([...parts, ...ignored])) }
      }),
    )
  }

  /** Records the verdicts that need no question and returns them as records and denials. */
  settle(context: GateContext, weighed: readonly WeighedCall[]): ConsentFinding {
    const finding: ConsentFinding = { records: [], denied: [], gates: [] }
    for (const { assessment, risk, verdict } of weighed) {
      const { callId, hash, tool } = assessment.call
      const subject = auditSubject({ tool, risk }, subjectOf(assessment.call))
      if (verdict.kind === 'grant') {
        const { by, name } = verdict
        const profile = name === sandboxGrant && by === 'grant' ? this.#deps.sandbox.profile() : null
        const record: StandingConsent = { callId, by, name, hash, ...(profile !== null && { profile }) }
        this.#audit.passed(context.sessionId, subject, 'granted', record)
        finding.records.push(record)
      } else if (verdict.kind === 'deny') {
        const reason = denialText(this.#deps.data.denialWords[context.language], verdict.denial)
        this.#audit.stopped(context.sessionId, subject, 'denied', reason)
        finding.denied.push({ callId, reason, denial: verdict.denial })
      }
    }
    return finding
  }

  /** Returns why consent without a question no longer holds; null where it does, '' where a question is needed. */
  async revalidate(context: GateContext, call: PreparedCall): Promise<string | null> {
    const assessment = await this.#assess(context, call)
    const [risk = { level: 'high' as const, reasons: [] }] = risksOf([assessment])
    const verdict = await this.#verdictOf(context, assessment, risk.level, false)
    if (verdict.kind === 'grant') return null
    const { denialWords } = this.#deps.data
    const reason = verdict.kind === 'deny' ? denialText(denialWords[context.language], verdict.denial) : ''
    const subject = auditSubject({ tool: call.tool, risk }, subjectOf(call))
    this.#audit.stopped(context.sessionId, subject, reason === '' ? 'void' : 'denied', reason || null)
    return reason
  }

  judgePlan(context: GateContext, plan: AgentPlan): ConsentFinding {
    const record = this.passPlan(context, plan)
    if (record !== null) return { records: [record], denied: [], gates: [] }
    const gate = this.#add(this.#planGate(context, this.#deps.random.id(), plan))
    return { records: [], denied: [], gates: [agentGate(gate)] }
  }

  /** Returns the consent of a plan that needs no question; null for any other plan. */
  passPlan(context: GateContext, plan: AgentPlan): StandingConsent | null {
    const { root, mode, sessionId } = context
    const risk = planRisk(plan, this.#deps.data.kinds)
    const isFree = this.#deps.trust.get(root).isTrusted && (mode === 'auto-edit' || mode === 'full')
    if (!isFree || risk.level === 'high') return null
    const record: StandingConsent = { callId: plan.callId, by: 'mode', name: mode, hash: plan.hash }
    const subject = auditSubject({ tool: 'propose_plan', risk }, plan.title)
    this.#audit.passed(sessionId, subject, 'granted', record)
    return record
  }

  /** Opens stored gates again under their ids. */
  async restore(
    context: GateContext,
    stored: StoredGates,
  ): Promise<{ gateId: string; items: GateItem[] | null }[]> {
    const restored: { gateId: string; gate: OpenGate | null }[] = []
    for (const { gateId, kind, items } of stored.gates) {
      const gate =
        kind === 'plan'
          ? this.#restorePlan(context, gateId, items, stored.plan)
          : await this.#restoreCalls(context, { gateId, kind, items }, stored.calls, stored.rationale)
      restored.push({ gateId, gate })
    }
    return restored.map(({ gateId, gate }) => {
      return { gateId, items: gate === null ? null : itemsOf(this.#add(gate)) }
    })
  }

  /** Replaces what the gate shows by what the calls would do now. */
  async show(gate: OpenGate, calls: readonly PreparedCall[]): Promise<void> {
    const assessments = await Promise.all(calls.map((call) => this.#assess(gate.context, call)))
    gate.assessments = assessments
    gate.view = gateView(
      gate.gateId,
      gate.kind,
      await this.#callViews(gate.context, assessments, gate.rationale, gate.outside),
    )
  }

  /** Returns the rules, mode and trust that apply to the folder of a call. */
  async basisOf(context: GateContext, call: PreparedCall): Promise<ConsentBasis> {
    const home = this.homeOf(context, call)
    const rules = await this.rulesOf(context, home)
    return { rules, mode: context.mode, isTrusted: this.#deps.trust.get(home ?? context.root).isTrusted }
  }

  /** Returns all that `basisOf` depends on, of all folders, except the mode. Reads store and memory last. */
  async basisVersion({ sessionId, root }: Pick<GateContext, 'sessionId' | 'root'>): Promise<string> {
    const { rules, trust, folders } = this.#deps
    const added = folders.of(sessionId)
    const lists = await Promise.all(added.map((folder) => rules.list(folder)))
    const own = await rules.list(root, sessionId)
    const trusted = [root, ...folders.of(sessionId)].map((folder) => [folder, trust.get(folder).isTrusted])
    return JSON.stringify([own, lists, trusted])
  }

  /** Returns the added folder that a call is about; null for the session's own. */
  homeOf({ sessionId }: GateContext, call: PreparedCall): string | null {
    return homeOf(call, this.#deps.folders.of(sessionId))
  }

  async rulesOf({ sessionId, root }: Pick<GateContext, 'sessionId' | 'root'>, home: string | null) {
    const { rules, folders } = this.#deps
    const added = folders
      .of(sessionId)
      .map(async (folder) => ({ root: folder, rules: await rules.list(folder) }))
    return heldRules(await rules.list(root, sessionId), await Promise.all(added), home)
  }

  async #assess(context: GateContext, call: PreparedCall): Promise<CallAssessment> {
    const { shell, disk, data, trust, folders } = this.#deps
    const { root, sessionId } = context
    const added = folders.of(sessionId).map((path) => ({ path, isTrusted: trust.get(path).isTrusted }))
    const assessment = await assessCall(
      { shell, disk, kinds: data.kinds, lists: data.lists },
      root,
      call,
      added,
    )
    if (assessment.subject.kind !== 'outside') return assessment
    const reason = unboundTool(assessment.subject, await this.rulesOf(context, this.homeOf(context, call)))
    return reason === null ? assessment : { ...assessment, reasons: [...assessment.reasons, reason] }
  }

  /** Returns the calls as the gate shows them. The sizes of changes that it asks about together are added up. */
  async #callViews(
    context: GateContext,
    assessments: readonly CallAssessment[],
    rationale: string,
    outside: SandboxHindrance | null,
  ): Promise<GateCall[]> {
    const risks = risksOf(assessments)
    return Promise.all(
      assessments.map(async (assessment, index) => {
        const { isTrusted } = this.#deps.trust.get(this.homeOf(context, assessment.call) ?? context.root)
        const risk = risks[index] ?? { level: 'high' as const, reasons: [] }
        const sandbox =
          outside ?? ((await this.#isOffered(context, assessment, risk.level)) ? 'offered' : undefined)
        const words = { task: context.task, rationale, isTrusted }
        return gateCall(assessment, risk, sandbox === undefined ? words : { ...words, sandbox })
      }),
    )
  }

  async #isOffered(context: GateContext, assessment: CallAssessment, risk: RiskLevel): Promise<boolean> {
    const { sandbox } = this.#deps
    if (assessment.subject.kind !== 'command' || sandbox.isOn(context.root)) return false
    const basis = await this.basisOf(context, assessment.call)
    if (!isSandboxable(assessment, risk, basis, this.homeOf(context, assessment.call))) return false
    return sandbox.isKnownReady(context.root)
  }

  async #gateOf(
    context: GateContext,
    gateId: string,
    kind: 'calls' | 'apply' | 'effects',
    assessments: readonly CallAssessment[],
    rationale: string,
    outside: SandboxHindrance | null = null,
  ): Promise<OpenGate> {
    const view = gateView(gateId, kind, await this.#callViews(context, assessments, rationale, outside))
    return { ...bareGate(context, gateId, rationale), outside, kind, assessments, view }
  }

  #planGate(context: GateContext, gateId: string, plan: AgentPlan): OpenGate {
    const call = planCall(plan, planRisk(plan, this.#deps.data.kinds))
    const view = gateView(gateId, 'plan', [call])
    return { ...bareGate(context, gateId, ''), kind: 'plan', assessments: [], view }
  }

  #add(gate: OpenGate): OpenGate {
    this.#queue.add(gate)
    return gate
  }

  #restorePlan(
    context: GateContext,
    gateId: string,
    items: readonly GateItem[],
    plan: AgentPlan | null,
  ): OpenGate | null {
    const isSame =
      plan !== null && items.every(({ callId, hash }) => callId === plan.callId && hash === plan.hash)
    return isSame ? this.#planGate(context, gateId, plan) : null
  }

  async #restoreCalls(
    context: GateContext,
    { gateId, kind, items }: AgentGate,
    calls: readonly PreparedCall[],
    rationale: string,
  ): Promise<OpenGate | null> {
    const found = items.map(({ callId }) => calls.find((call) => call.callId === callId))
    const present = found.filter((call) => call !== undefined)
    if (present.length < items.length) return null
    const assessments = await Promise.all(present.map((call) => this.#assess(context, call)))
    const isEffects = assessments.some(({ call }) => call.facts.kind === 'change' && call.facts.effects)
    const shown = isEffects ? 'effects' : 'calls'
    return this.#gateOf(context, gateId, kind === 'apply' ? 'apply' : shown, assessments, rationale)
  }
}

/** Returns a call as one to ask about, where nothing denies it. */
function asked(weighed: WeighedCall): WeighedCall {
  return weighed.verdict.kind === 'grant' ? { ...weighed, verdict: { kind: 'ask' } } : weighed
}

function bareGate(context: GateContext, gateId: string, rationale: string) {
  return {
    sessionId: context.sessionId,
    gateId,
    context,
    rationale,
    outside: null,
    renewedAt: null,
    stopWatching: () => undefined,
  }
}

import type { AgentGate, GateItem, StandingConsent } from '../../shared/domain/session/agent-consent.ts'
import type { AgentPlan, RiskLevel } from '../../shared/domain/session/agent-plan.ts'
import type { GateCall } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import { type AuditLog, auditSubject, createAuditLog } from './audit-log.ts'
import { denialText } from './gate-data.ts'
import { GateQueue } from './gate-queue.ts'
import type { ConsentFinding, GateContext, GateServiceDeps, StoredGates } from './gate-service.ts'
import { gateCall, gateView, planCall, planRisk, subjectOf, withRisks } from './gate-view.ts'
import {
  type FolderBasis,
  isSandboxable,
  judge,
  mayRunInCopy,
  sandboxGrant,
  type Verdict,
  type WeighedCall,
} from './judge.ts'
import { agentGate, itemsOf, type OpenGate } from './open-gate.ts'
import { assessCall, type CallAssessment, homeOf } from './risk/call-assessment.ts'
import { heldRules, unboundTool } from './rules/rules.ts'
import { ignoredParts, ignoredVerdict, partsOf, wholeVerdict } from './staged-parts.ts'

/** Judges calls, and opens gates for those that are not allowed yet. `gate-service.ts` adds the answers. */
export class GateAsking {
  protected readonly deps: GateServiceDeps
  protected readonly audit: AuditLog
  protected readonly queue: GateQueue
  readonly #folders = new Map<string, readonly string[]>()

  constructor(deps: GateServiceDeps) {
    this.deps = deps
    this.audit = createAuditLog({ clock: deps.clock, repository: deps.audit })
    this.queue = new GateQueue({
      ...deps,
      show: (gate, calls) => this.#show(gate, calls),
      noteVoid: (gate) => this.noteStopped(gate, 'void', null),
    })
  }

  /**
   * Judges the calls of one answer. Its edits that need consent form one gate; each command or read its own.
   * `rationale` is the decision's: shown where a call gives no reason.
   */
  ask(context: GateContext, calls: readonly PreparedCall[], rationale: string): Promise<ConsentFinding> {
    return this.#judge(context, calls, rationale, 'calls')
  }

  /** Asks about staged changes, prepared as one call. `mustAsk`: no rule and no mode grants them. */
  askApply(
    context: GateContext,
    staged: PreparedCall,
    rationale: string,
    mustAsk = false,
  ): Promise<ConsentFinding> {
    return this.#judge(context, [staged], rationale, 'apply', null, mustAsk)
  }

  /** Asks about the changes of a command that ran in a copy, prepared as one call. */
  askEffects(context: GateContext, effects: PreparedCall, rationale: string): Promise<ConsentFinding> {
    return this.#judge(context, [effects], rationale, 'effects')
  }

  /** Asks about a command that failed in a copy, for the reason `why`, and would run outside of it. */
  askOutside(
    context: GateContext,
    call: PreparedCall,
    rationale: string,
    why: SandboxHindrance,
  ): Promise<ConsentFinding> {
    return this.#judge(context, [call], rationale, 'calls', why)
  }

  async #judge(
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
      gates.push(await this.#gateOf(context, this.deps.random.id(), kind, group, rationale, outside))
    // Added together: a gate that changed before the session receives it would be unknown to the session.
    return { ...finding, gates: gates.map((gate) => agentGate(this.queue.add(gate))) }
  }

  /** Returns the verdicts on calls that would be asked about together. Opens no gate and records nothing. */
  async weigh(
    context: GateContext,
    calls: readonly PreparedCall[],
    isOutside = false,
  ): Promise<WeighedCall[]> {
    const assessments = await Promise.all(calls.map((call) => this.#assess(context, call)))
    return Promise.all(
      withRisks(assessments).map(async ({ assessment, risk }) => {
        const verdict = await this.#verdictOf(context, assessment, risk.level, isOutside)
        return { assessment, risk, verdict }
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
    if (isOutside || !isOpen || !this.deps.sandbox.isOn(context.root)) return verdict
    if (!isSandboxable(assessment, risk, basis)) return verdict
    if (!(await this.deps.sandbox.isReady(context.root))) return verdict
    return { kind: 'grant', by: 'grant', name: sandboxGrant }
  }

  /** True for a command that needs no question and may run in a copy of the folder. */
  async mayRunInCopy(context: GateContext, { assessment, risk, verdict }: WeighedCall): Promise<boolean> {
    if (verdict.kind !== 'grant') return false
    return mayRunInCopy(assessment, risk.level, await this.basisOf(context, assessment.call))
  }

  /** Returns the same for staged changes: each is judged by the changes that it makes, file by file. */
  async weighStaged(context: GateContext, calls: readonly PreparedCall[]): Promise<WeighedCall[]> {
    const weighed = await this.weigh(context, calls)
    return Promise.all(
      weighed.map(async ({ assessment, risk }) => {
        const parts = partsOf(assessment).map(async (part) =>
          judge(part, risk.level, await this.basisOf(context, part.call)),
        )
        const ignored = ignoredParts(assessment).map(async (part) => {
          const hasFolderConsent = this.deps.rules.hasFolderConsent(context.sessionId, part.top)
          const basis = await this.basisOf(context, assessment.call)
          return ignoredVerdict(part, risk.level, { ...basis, hasFolderConsent })
        })
        return { assessment, risk, verdict: wholeVerdict(await Promise.all([...parts, ...ignored])) }
      }),
    )
  }

  /** Records verdicts that need no question and returns them; calls that would be asked about are left out. */
  settle(context: GateContext, weighed: readonly WeighedCall[]): ConsentFinding {
    const finding: ConsentFinding = { records: [], denied: [], gates: [] }
    for (const { assessment, risk, verdict } of weighed) {
      const { callId, hash, tool } = assessment.call
      const subject = auditSubject({ tool, risk }, subjectOf(assessment.call))
      if (verdict.kind === 'grant') {
        const { by, name } = verdict
        const profile = name === sandboxGrant && by === 'grant' ? this.deps.sandbox.profile() : null
        const record: StandingConsent = { callId, by, name, hash, ...(profile !== null && { profile }) }
        this.audit.passed(context.sessionId, subject, 'granted', record)
        finding.records.push(record)
      } else if (verdict.kind === 'deny') {
        const reason = denialText(this.deps.data.denialWords[context.language], verdict.denial)
        this.audit.stopped(context.sessionId, subject, 'denied', reason)
        finding.denied.push({ callId, reason, denial: verdict.denial })
      }
    }
    return finding
  }

  /**
   * Judges again a call that passed without a question and has waited since: the mode, the rules, the trust or the
   * targets of its paths may have changed. Returns null where it still passes; else the reason, empty where it
   * would have to be asked about.
   */
  async revalidate(context: GateContext, call: PreparedCall): Promise<string | null> {
    const [weighed] = await this.weigh(context, [call])
    if (weighed === undefined || weighed.verdict.kind === 'grant') return null
    const { risk, verdict } = weighed
    const { denialWords } = this.deps.data
    const reason = verdict.kind === 'deny' ? denialText(denialWords[context.language], verdict.denial) : ''
    const subject = auditSubject({ tool: call.tool, risk }, subjectOf(call))
    this.audit.stopped(context.sessionId, subject, reason === '' ? 'void' : 'denied', reason || null)
    return reason
  }

  async askPlan(context: GateContext, plan: AgentPlan): Promise<ConsentFinding> {
    const record = this.passPlan(context, plan)
    if (record !== null) return { records: [record], denied: [], gates: [] }
    const gate = this.queue.add(this.#planGate(context, this.deps.random.id(), plan))
    return { records: [], denied: [], gates: [agentGate(gate)] }
  }

  /** Returns the consent of a plan that needs no question; null for any other plan. */
  passPlan(context: GateContext, plan: AgentPlan): StandingConsent | null {
    const { root, mode, sessionId } = context
    const risk = planRisk(plan, this.deps.data.kinds)
    const isFree = this.deps.trust.get(root).isTrusted && (mode === 'auto-edit' || mode === 'full')
    if (!isFree || risk.level === 'high') return null
    const record: StandingConsent = { callId: plan.callId, by: 'mode', name: mode, hash: plan.hash }
    const subject = auditSubject({ tool: 'propose_plan', risk }, plan.title)
    this.audit.passed(sessionId, subject, 'granted', record)
    return record
  }

  /**
   * Opens stored gates again under their ids, with their calls assessed again; a gate whose calls are gone or no
   * longer apply is returned with `items: null`. `plan` is a plan gate's; `calls` hold the calls of the others.
   */
  async restore(
    context: GateContext,
    stored: StoredGates,
  ): Promise<{ gateId: string; items: GateItem[] | null }[]> {
    const restored: { gateId: string; gate: OpenGate | null }[] = []
    const { plan, calls, rationale } = stored
    for (const one of stored.gates) {
      const { gateId, kind, items } = one
      const isPlan =
        plan !== null && items.every((item) => item.callId === plan.callId && item.hash === plan.hash)
      const planGate = isPlan ? this.#planGate(context, gateId, plan) : null
      const gate = kind === 'plan' ? planGate : await this.#restoreCalls(context, one, calls, rationale)
      restored.push({ gateId, gate })
    }
    return restored.map(({ gateId, gate }) => {
      return { gateId, items: gate === null ? null : itemsOf(this.queue.add(gate)) }
    })
  }

  /** Replaces what the gate shows by what the calls would do now. */
  async #show(gate: OpenGate, calls: readonly PreparedCall[]): Promise<void> {
    const assessments = await Promise.all(calls.map((call) => this.#assess(gate.context, call)))
    gate.assessments = assessments
    const shown = await this.#callViews(gate.context, assessments, gate.rationale, gate.outside)
    gate.view = gateView(gate.gateId, gate.kind, shown)
  }

  /** Returns the rules, mode and trust that apply to the folder of a call. */
  protected async basisOf(context: GateContext, call: PreparedCall): Promise<FolderBasis> {
    const home = this.homeOf(context, call)
    const rules = await this.rulesOf(context, home)
    const { isTrusted } = this.deps.trust.get(home ?? context.root)
    return { rules, mode: context.mode, isTrusted, home }
  }

  /** Returns a text that changes when rules, trust or the folders of the session change. */
  async basisVersion({ sessionId, root }: Pick<GateContext, 'sessionId' | 'root'>): Promise<string> {
    const { rules, trust } = this.deps
    const lists = await Promise.all(this.#foldersOf(sessionId).map((folder) => rules.list(folder)))
    const own = await rules.list(root, sessionId)
    // Store and memory are read last.
    const folders = [root, ...this.#foldersOf(sessionId)]
    const trusted = folders.map((folder) => [folder, trust.get(folder).isTrusted])
    return JSON.stringify([own, lists, trusted])
  }

  /** Returns the added folder that a call is about; null for the session's own. */
  protected homeOf({ sessionId }: GateContext, call: PreparedCall): string | null {
    return homeOf(call, this.#foldersOf(sessionId))
  }

  protected async rulesOf({ sessionId, root }: Pick<GateContext, 'sessionId' | 'root'>, home: string | null) {
    const { rules } = this.deps
    const folders = this.#foldersOf(sessionId)
    const added = folders.map(async (folder) => ({ root: folder, rules: await rules.list(folder) }))
    return heldRules(await rules.list(root, sessionId), await Promise.all(added), home)
  }

  /** Sets the added folders of a session, by real paths, as the caller stored them with it. */
  setFolders(sessionId: string, folders: readonly string[]): void {
    this.#folders.set(sessionId, [...folders])
  }

  #foldersOf(sessionId: string): readonly string[] {
    return this.#folders.get(sessionId) ?? []
  }

  protected noteStopped(
    gate: OpenGate,
    verdict: 'refused' | 'denied' | 'void' | 'withdrawn',
    reason: string | null,
  ): void {
    for (const call of gate.view.calls) {
      this.audit.stopped(gate.sessionId, this.subject(gate, call), verdict, reason)
    }
  }

  protected subject({ assessments }: OpenGate, view: GateCall) {
    const assessment = assessments.find(({ call }) => call.callId === view.callId)
    return auditSubject(view, assessment === undefined ? view.intent : subjectOf(assessment.call))
  }

  async #assess(context: GateContext, call: PreparedCall): Promise<CallAssessment> {
    const { shell, disk, data, trust } = this.deps
    const { root, sessionId } = context
    const folders = this.#foldersOf(sessionId)
    const added = folders.map((path) => ({ path, isTrusted: trust.get(path).isTrusted }))
    const { kinds, lists } = data
    const assessment = await assessCall({ shell, disk, kinds, lists }, root, call, added)
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
    return Promise.all(
      withRisks(assessments).map(async ({ assessment, risk }) => {
        const { isTrusted } = this.deps.trust.get(this.homeOf(context, assessment.call) ?? context.root)
        const sandbox =
          outside ?? ((await this.#isOffered(context, assessment, risk.level)) ? 'offered' : undefined)
        const words = { task: context.task, rationale, isTrusted }
        return gateCall(assessment, risk, sandbox === undefined ? words : { ...words, sandbox })
      }),
    )
  }

  async #isOffered(context: GateContext, assessment: CallAssessment, risk: RiskLevel): Promise<boolean> {
    const { sandbox } = this.deps
    if (assessment.subject.kind !== 'command' || sandbox.isOn(context.root)) return false
    if (!isSandboxable(assessment, risk, await this.basisOf(context, assessment.call))) return false
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
    const calls = await this.#callViews(context, assessments, rationale, outside)
    return { ...openGate(context, gateId, kind, calls), rationale, outside, assessments }
  }

  #planGate(context: GateContext, gateId: string, plan: AgentPlan): OpenGate {
    return openGate(context, gateId, 'plan', [planCall(plan, planRisk(plan, this.deps.data.kinds))])
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

function openGate(
  context: GateContext,
  gateId: string,
  kind: OpenGate['kind'],
  calls: readonly GateCall[],
): OpenGate {
  return {
    sessionId: context.sessionId,
    gateId,
    kind,
    context,
    rationale: '',
    outside: null,
    assessments: [],
    view: gateView(gateId, kind, calls),
    renewedAt: null,
    stopWatching: () => undefined,
  }
}

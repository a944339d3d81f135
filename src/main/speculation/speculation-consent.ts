import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import type { ConsentFinding, GateContext, GateService } from '../gates/gate-service.ts'
import { sandboxGrant, type Verdict, type WeighedCall } from '../gates/judge.ts'
import { isInside } from '../platform/files/real-path.ts'
import type { ConsentGates } from '../sessions/runner/runner-deps.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import { isRefusal } from '../tools/shell/programs/read-options.ts'

export type SpeculationConsentDeps = {
  gates: Pick<
    GateService,
    'weigh' | 'weighStaged' | 'mayRunInCopy' | 'settle' | 'passPlan' | 'view' | 'answer' | 'withdraw'
  >
  shell: Pick<ShellCheck, 'read' | 'readOnly'>
  /** The session that was forked: its rules apply, and its audit log records the verdicts. */
  sessionId: string
  /** True where tools see other contents than the disk has. */
  hasWrites(): boolean
  stopsAtFirstWrite(): boolean
  /** True where commands can run in a copy of the folder on this machine. */
  hasSandbox(): Promise<boolean>
  /** Called once; only calls that had consent before are still made. */
  onBoundary(boundary: SpeculationBoundary): void
}

type SpeculatedVerdict = Verdict | SpeculationBoundary['kind']

const nothing: ConsentFinding = { records: [], denied: [], gates: [] }
const toOverlay: Verdict = { kind: 'grant', by: 'grant', name: 'overlay' }
const inCopy: Verdict = { kind: 'grant', by: 'grant', name: sandboxGrant }

/**
 * Consent in a fork: the verdicts of the gate service, without asking the user. The speculation stops at a call that
 * needs a question, except for writes, which go to the overlay and are asked about when it is accepted.
 *
 * Source: `docs/decisions/speculation.md`, Gate for tools: policy.
 */
export class SpeculationConsent implements ConsentGates {
  readonly #deps: SpeculationConsentDeps
  #hasStopped = false
  /** A call that had consent has lost it: the calls behind it depend on what it would have done. */
  #hasLostConsent = false

  readonly view: ConsentGates['view']
  readonly answer: ConsentGates['answer']
  readonly withdraw: ConsentGates['withdraw']

  constructor(deps: SpeculationConsentDeps) {
    const { gates } = deps
    this.#deps = deps
    this.view = (...given) => gates.view(...given)
    this.answer = (...given) => gates.answer(...given)
    this.withdraw = (...given) => gates.withdraw(...given)
  }

  askEffects(): Promise<ConsentFinding> {
    throw new Error('the changes of a command in a fork are in its overlay')
  }

  askOutside(): Promise<ConsentFinding> {
    throw new Error('no command of a fork runs outside of its copy')
  }

  async ask(
    context: GateContext,
    calls: readonly PreparedCall[],
    _rationale: string,
    behind: SpeculationBoundary | null,
  ): Promise<ConsentFinding> {
    if (this.#hasStopped) return nothing
    const { gates } = this.#deps
    const own = this.#own(context)
    const passed: WeighedCall[] = []
    let boundary = behind
    let hasWrites = this.#deps.hasWrites()
    for (const one of await gates.weigh(own, calls)) {
      const found = await this.#speculatedVerdict(own, one, hasWrites)
      if (typeof found === 'string') {
        boundary = await this.#boundaryAt(own, one, found)
        break
      }
      passed.push({ ...one, verdict: found })
      hasWrites ||= found.kind === 'grant' && (one.assessment.call.access === 'write' || found === inCopy)
    }
    if (boundary !== null) this.#stop(boundary)
    return gates.settle(own, passed)
  }

  async askPlan(context: GateContext, plan: Parameters<ConsentGates['askPlan']>[1]): Promise<ConsentFinding> {
    if (this.#hasStopped) return nothing
    const record = this.#deps.gates.passPlan(this.#own(context), plan)
    if (record !== null) return { ...nothing, records: [record] }
    this.#stop({ kind: 'plan', callId: null, title: plan.title })
    return nothing
  }

  async revalidate(context: GateContext, call: PreparedCall): Promise<string | null> {
    if (this.#hasLostConsent) return ''
    const { gates, hasWrites } = this.#deps
    const own = this.#own(context)
    const [weighed] = await gates.weigh(own, [call])
    if (weighed === undefined) return ''
    const found = await this.#speculatedVerdict(own, weighed, hasWrites())
    if (typeof found === 'string') {
      this.#hasLostConsent = true
      this.#stop({ kind: found, callId: null, title: call.title })
      return ''
    }
    if (found.kind === 'grant') return null
    return gates.settle(own, [{ ...weighed, verdict: found }]).denied[0]?.reason ?? ''
  }

  #own(context: GateContext): GateContext {
    return { ...context, sessionId: this.#deps.sessionId }
  }

  #stop(boundary: SpeculationBoundary): void {
    if (this.#hasStopped) return
    this.#hasStopped = true
    this.#deps.onBoundary(boundary)
  }

  /** Returns the verdict on a call in a speculation; the kind of boundary where the speculation stops at the call. */
  async #speculatedVerdict(
    context: GateContext,
    weighed: WeighedCall,
    hasWrites: boolean,
  ): Promise<SpeculatedVerdict> {
    const { assessment, verdict } = weighed
    const { facts, tool } = assessment.call
    if (verdict.kind === 'deny' && verdict.denial.kind !== 'plan-mode') return verdict
    switch (facts.kind) {
      case 'outside':
        return 'unknown'
      case 'read':
        // A command that runs in the folder does not see what was written to the overlay.
        if (tool === 'command_output' && hasWrites) return 'shell'
        return verdict.kind === 'ask' ? 'rule' : verdict
      case 'command':
        if (!hasWrites && assessment.isReadOnly && (await this.#isPlain(context, facts.line, facts.folder)))
          return verdict.kind === 'ask' ? 'rule' : verdict
        return (await this.#runsInCopy(context, weighed)) ? inCopy : 'shell'
      case 'change': {
        const isStopped = context.mode === 'ask' && this.#deps.stopsAtFirstWrite()
        if (context.mode === 'plan' || isStopped) return 'write'
        // A change that would be denied at the acceptance is denied now, so that the model is told.
        const [staged] = await this.#deps.gates.weighStaged(context, [assessment.call])
        if (staged?.verdict.kind === 'deny') return staged.verdict
        const from = facts.files.filter(({ to }) => to !== null).map(({ path }) => path)
        if (from.length > 0 && !(await this.#mayRead(context, assessment.call, from))) return 'rule'
        return verdict.kind === 'ask' ? toOverlay : verdict
      }
    }
  }

  async #boundaryAt(
    context: GateContext,
    weighed: WeighedCall,
    kind: SpeculationBoundary['kind'],
  ): Promise<SpeculationBoundary> {
    const { call } = weighed.assessment
    const boundary = { kind, callId: call.callId, title: call.title }
    const isForeground = call.facts.kind === 'command' && !call.facts.isBackground
    if (kind !== 'shell' || !isForeground) return boundary
    if (!(await this.#deps.hasSandbox())) return { ...boundary, copy: 'missing' }
    const wouldRun = await this.#deps.gates.mayRunInCopy(context, { ...weighed, verdict: inCopy })
    return { ...boundary, copy: wouldRun ? 'off' : 'asked' }
  }

  /** True for a command that may run in a copy. Its changes go to the overlay; the acceptance asks about them. */
  async #runsInCopy(context: GateContext, weighed: WeighedCall): Promise<boolean> {
    const { gates, hasSandbox } = this.#deps
    return (await hasSandbox()) && (await gates.mayRunInCopy(context, weighed))
  }

  /** True where every path is plain text and inside. Paths that only the shell can resolve are not read. */
  async #isPlain({ root }: GateContext, source: string, folder: string): Promise<boolean> {
    const { shell } = this.#deps
    const reads = shell.readOnly(await shell.read(source))
    if (isRefusal(reads) || folder.startsWith('/')) return false
    return reads.operands.every(
      ({ obstacle, paths }) =>
        obstacle === null && paths.every((path) => !path.startsWith('/') || isInside(root, path)),
    )
  }

  /** True for files that are free to read now: a moved file could otherwise be read under its new name. */
  async #mayRead(context: GateContext, call: PreparedCall, paths: string[]): Promise<boolean> {
    const reading: PreparedCall = {
      ...call,
      tool: 'read_file',
      access: 'read',
      isReadOnly: true,
      facts: { kind: 'read', paths },
    }
    const [weighed] = await this.#deps.gates.weigh(context, [reading])
    return weighed?.verdict.kind === 'grant'
  }
}

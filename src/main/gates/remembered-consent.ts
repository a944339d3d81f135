import type { NewRule } from '../../shared/domain/session/consent-rule.ts'
import type { GateAnswerInput } from '../../shared/domain/session/gate.ts'
import { textTools, writesText } from '../../shared/domain/session/tool-name.ts'
import { pathBelow } from '../tools/defining/root-path.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { GateContext } from './gate-service.ts'
import type { Approval, OpenGate } from './open-gate.ts'
import type { RuleService } from './rules/rule-service.ts'
import type { GateSandbox } from './sandboxable.ts'

/** Saves what an approval allows from then on. */
export class RememberedConsent {
  readonly #deps: { rules: RuleService; sandbox: Pick<GateSandbox, 'turnOn'> }
  /** The added folder that a call is about; null for the session's own. */
  readonly #homeOf: (context: GateContext, call: PreparedCall) => string | null

  constructor(
    deps: { rules: RuleService; sandbox: Pick<GateSandbox, 'turnOn'> },
    homeOf: (context: GateContext, call: PreparedCall) => string | null,
  ) {
    this.#deps = deps
    this.#homeOf = homeOf
  }

  note(gate: OpenGate, { answers }: Approval, remember: GateAnswerInput['remember']): void {
    const { rules, sandbox } = this.#deps
    if (gate.kind === 'effects' || gate.kind === 'apply') this.#noteFolderConsent(gate)
    if (remember === 'sandbox') sandbox.turnOn(gate.context.root)
    if (remember === null || remember === 'sandbox') return
    for (const { callId, tool, patterns = [] } of gate.view.calls) {
      const isApproved = answers.some((answer) => answer.callId === callId && answer.hash !== null)
      if (!isApproved) continue
      const fingerprint = fingerprintOf(gate, callId)
      // A rule about a file's text holds for every tool that writes text.
      const tools = writesText(tool) ? textTools : [tool]
      const pairs = patterns.flatMap((pattern) => tools.map((one) => ({ tool: one, pattern })))
      for (const pair of pairs) {
        const rule: NewRule = { effect: 'allow', ...pair, ...(fingerprint && { fingerprint }) }
        if (remember === 'session') rules.saveForSession(gate.sessionId, rule)
        else this.#saveForFolder(gate, callId, rule)
      }
    }
  }

  /** Commands ask about an ignored folder once in a session. */
  #noteFolderConsent({ sessionId, view }: OpenGate): void {
    for (const { top } of view.calls.flatMap(({ effects }) => effects?.ignored ?? []))
      this.#deps.rules.noteFolderConsent(sessionId, top)
  }

  /** Saves a rule for the folder that the call is about: it holds there in every session. */
  #saveForFolder({ context, assessments }: OpenGate, callId: string, rule: NewRule): void {
    const call = assessments.find((assessment) => assessment.call.callId === callId)?.call
    const home = call === undefined ? null : this.#homeOf(context, call)
    const below = home === null ? null : pathBelow(home, rule.pattern)
    this.#deps.rules.saveForFolder(home ?? context.root, below === null ? rule : { ...rule, pattern: below })
  }
}

/** Returns the fingerprint of the added server's tool, as it was shown. */
function fingerprintOf({ assessments }: OpenGate, callId: string): string | undefined {
  const subject = assessments.find((assessment) => assessment.call.callId === callId)?.subject
  return subject?.kind === 'outside' ? subject.declared?.fingerprint : undefined
}

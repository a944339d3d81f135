import type { NewRule } from '../../shared/domain/session/consent-rule.ts'
import type { GateAnswerInput } from '../../shared/domain/session/gate.ts'
import { textTools, writesText } from '../../shared/domain/session/tool-name.ts'
import { pathBelow } from '../tools/defining/root-path.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { Approval, OpenGate } from './open-gate.ts'
import type { RuleService } from './rules/rule-service.ts'
import type { GateSandbox } from './sandboxable.ts'

/** Saves what an approval allows from then on. `homeOf` finds the added folder of a call; null: the session's own. */
export function rememberConsent(
  { rules, sandbox }: { rules: RuleService; sandbox: Pick<GateSandbox, 'turnOn'> },
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

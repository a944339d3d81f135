import { consentDelayMs } from '../../shared/consent/typed-refusal.ts'
import type { AgentGate, GateAnswer, GateItem } from '../../shared/domain/session/agent-consent.ts'
import type { GateAnswerInput, GateCallAnswer, GateView } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { GateContext } from './gate-service.ts'
import type { CallAssessment } from './risk/call-assessment.ts'

/** A question for consent that waits. Shape: `looks` are of its calls, in its order; none for a plan. */
export type OpenGate = {
  readonly sessionId: string
  readonly gateId: string
  readonly kind: GateView['kind']
  readonly context: GateContext
  readonly rationale: string
  /** Why its command failed in a copy, where it is asked about outside of one. */
  readonly outside: SandboxHindrance | null
  looks: readonly CallAssessment[]
  view: GateView
  /** When what is shown became something else; null while it is what it was opened with. */
  renewedAt: number | null
  stopWatching: () => void
}

export function itemsOf({ view }: OpenGate): GateItem[] {
  return view.calls.map(({ callId, hash }) => ({ callId, hash }))
}

export function agentGate(gate: OpenGate): AgentGate {
  // To the machine the changes of a command are the command's call, asked about once more.
  return { gateId: gate.gateId, kind: gate.kind === 'effects' ? 'calls' : gate.kind, items: itemsOf(gate) }
}

/** True where the answer is to what is asked now, call by call, place by place. */
export function isAnswerTo({ view }: OpenGate, { answers }: GateAnswerInput): boolean {
  const isUnique = new Set(answers.map(({ callId }) => callId)).size === answers.length
  return (
    isUnique &&
    answers.every(({ callId, shownHash, refusedHunks }) => {
      const call = view.calls.find((asked) => asked.callId === callId)
      if (call === undefined || call.hash !== shownHash) return false
      return refusedHunks.every(({ path, hunks }) => {
        const file = call.files.find((changed) => changed.path === path)
        return hunks.every((index) => file !== undefined && index < file.hunks)
      })
    })
  )
}

/** What an approval comes to. Shape: `calls` are those that shall run, as they shall run. */
export type Approval = { answers: GateAnswer[]; calls: PreparedCall[] }

/** Takes refused calls and places out. A call that no answer names is refused; null where nothing is left. */
export function approvalOf(gate: OpenGate, given: readonly GateCallAnswer[]): Approval | null {
  const answers: GateAnswer[] = []
  const calls: PreparedCall[] = []
  for (const { callId, hash: shownHash } of gate.view.calls) {
    const answer = given.find((one) => one.callId === callId)
    const refused = (answer?.refusedHunks ?? []).filter(({ hunks }) => hunks.length > 0)
    const whole = gate.looks.find(({ call }) => call.callId === callId)
    const isApproved = answer?.isApproved === true && !isAllRefused(gate, callId, refused)
    const call = whole === undefined || refused.length === 0 ? whole?.call : whole.call.without(refused)
    const hash = isApproved ? (call?.hash ?? shownHash) : null
    if (isApproved && call !== undefined) calls.push(call)
    answers.push({ callId, shownHash, hash, isPartial: hash !== null && hash !== shownHash })
  }
  return answers.some(({ hash }) => hash !== null) ? { answers, calls } : null
}

function isAllRefused(
  { view }: OpenGate,
  callId: string,
  refused: readonly { path: string; hunks: readonly number[] }[],
): boolean {
  const files = view.calls.find((call) => call.callId === callId)?.files ?? []
  if (files.length === 0) return false
  return files.every((file) => {
    const taken = refused.filter(({ path }) => path === file.path).flatMap(({ hunks }) => hunks)
    return file.hunks > 0 && new Set(taken).size === file.hunks
  })
}

/** True where the gate was on screen long enough to be read before it was answered. Units: ms. */
export function isReadable({ renewedAt }: OpenGate, sincePaintedMs: number, now: number): boolean {
  if (sincePaintedMs < consentDelayMs) return false
  return renewedAt === null || now - renewedAt >= consentDelayMs
}

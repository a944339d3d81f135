import { consentDelayMs } from '../../shared/consent/typed-refusal.ts'
import type { AgentGate, GateAnswer, GateItem } from '../../shared/domain/session/agent-consent.ts'
import type { GateAnswerInput, GateCallAnswer, GateView } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import { rebaseHunks } from '../../shared/text/difference/chained-hunks.ts'
import { diffHunks } from '../../shared/text/difference/hunks.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import type { GateContext } from './gate-service.ts'
import type { CallAssessment } from './risk/call-assessment.ts'

/** An open question for consent. Shape: `assessments` are the assessments of its calls, in their order; none for a plan. */
export type OpenGate = {
  readonly sessionId: string
  readonly gateId: string
  readonly kind: GateView['kind']
  readonly context: GateContext
  readonly rationale: string
  /** Why its command failed in a copy, where it is asked about outside of one. */
  readonly outside: SandboxHindrance | null
  assessments: readonly CallAssessment[]
  view: GateView
  /** When the calls shown last changed; null while they are those that the gate was opened with. */
  renewedAt: number | null
  stopWatching: () => void
}

export function itemsOf({ view }: OpenGate): GateItem[] {
  return view.calls.map(({ callId, hash }) => ({ callId, hash }))
}

export function agentGate(gate: OpenGate): AgentGate {
  // The state machine treats the changes of a command as the command's call, asked about once more.
  return { gateId: gate.gateId, kind: gate.kind === 'effects' ? 'calls' : gate.kind, items: itemsOf(gate) }
}

/** True where the answer matches what is asked now: every call and every hunk. */
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

/** The result of an approval. Shape: `calls` are those that shall run, without what was refused. */
export type Approval = { answers: GateAnswer[]; calls: PreparedCall[] }

/**
 * Removes refused calls and hunks. A call that no answer names is refused; null where nothing is left.
 * Where an earlier change of a file was not approved as a whole, a later change is rebased on its result.
 */
export function approvalOf(gate: OpenGate, given: readonly GateCallAnswer[]): Approval | null {
  const answers: GateAnswer[] = []
  const calls: PreparedCall[] = []
  const left = new LeftTexts()
  for (const { callId, hash: shownHash } of gate.view.calls) {
    const answer = given.find((one) => one.callId === callId)
    const refused = (answer?.refusedHunks ?? []).filter(({ hunks }) => hunks.length > 0)
    const whole = gate.assessments.find(({ call }) => call.callId === callId)
    const isApproved = answer?.isApproved === true && !isAllRefused(gate, callId, refused)
    const call = whole && left.made(whole.call, isApproved ? refused : null)
    const hash = isApproved ? (call?.hash ?? shownHash) : null
    if (isApproved && call !== undefined) calls.push(call)
    answers.push({ callId, shownHash, hash, isPartial: hash !== null && hash !== shownHash })
  }
  return answers.some(({ hash }) => hash !== null) ? { answers, calls } : null
}

type RefusedHunks = readonly { path: string; hunks: readonly number[] }[]

/** Texts of the files of a gate after its calls so far, where not all of a call was approved. */
class LeftTexts {
  /** Shape: `planned` is the text that the calls so far would have left if all was approved. */
  readonly #left = new Map<string, { planned: string; text: string; bytes: Uint8Array | null }>()

  /** Returns the call as it shall run; `refused` null: the call is not approved. */
  made(call: PreparedCall, refused: RefusedHunks | null): PreparedCall {
    const [file] = call.facts.kind === 'change' ? call.facts.files : []
    const planned = file?.newText ?? null
    if (call.onto === undefined || file === undefined || planned === null)
      return refused === null || refused.length === 0 ? call : call.without(refused)
    const baseText = file.oldText ?? ''
    const before = this.#left.get(file.path)
    const left = before?.planned === baseText ? before : undefined
    if (refused === null) {
      this.#left.set(file.path, { text: baseText, bytes: call.madeOn ?? null, ...left, planned })
      return call
    }
    const hunks = new Set(refused.flatMap((one) => (one.path === file.path ? one.hunks : [])))
    const text = left && rebaseHunks({ baseText, newText: planned }, left.text, hunks)
    if (left !== undefined && text == null) {
      // The change builds on what was refused: it is not written, and reports this when it is carried out.
      this.#left.set(file.path, { ...left, planned })
      return call
    }
    if (left === undefined && hunks.size === 0) return call
    const refusedLines = diffHunks(baseText, planned)
      .filter(({ index }) => hunks.has(index))
      .map(({ oldFrom }) => oldFrom)
    const made =
      left === undefined || text == null
        ? call.without(refused)
        : call.onto({ bytes: left.bytes, oldText: left.text, newText: text, refusedLines })
    const [change] = made.changes
    const kept = made.facts.kind === 'change' ? made.facts.files[0]?.newText : null
    if (change?.kind === 'write' && kept != null)
      this.#left.set(file.path, { planned, text: kept, bytes: change.bytes })
    return made
  }
}

function isAllRefused({ view }: OpenGate, callId: string, refused: RefusedHunks): boolean {
  const files = view.calls.find((call) => call.callId === callId)?.files ?? []
  if (files.length === 0) return false
  return files.every((file) => {
    const refusedHere = refused.filter(({ path }) => path === file.path).flatMap(({ hunks }) => hunks)
    return file.hunks > 0 && new Set(refusedHere).size === file.hunks
  })
}

/** True where the gate was on screen long enough to be read before it was answered. Units: ms. */
export function isReadable({ renewedAt }: OpenGate, sincePaintedMs: number, now: number): boolean {
  if (sincePaintedMs < consentDelayMs) return false
  return renewedAt === null || now - renewedAt >= consentDelayMs
}

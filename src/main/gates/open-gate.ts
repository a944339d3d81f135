import { consentDelayMs } from '../../shared/consent/typed-refusal.ts'
import type { AgentGate, GateAnswer, GateItem } from '../../shared/domain/session/agent-consent.ts'
import type { GateAnswerInput, GateCallAnswer, GateView } from '../../shared/domain/session/gate.ts'
import type { SandboxHindrance } from '../../shared/domain/session/sandbox.ts'
import { rebaseHunks } from '../../shared/text/difference/chained-hunks.ts'
import { diffHunks } from '../../shared/text/difference/hunks.ts'
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

/**
 * Takes refused calls and places out. A call that no answer names is refused; null where nothing is left.
 * A change of a file of which an earlier change was not taken as a whole is made on what that one leaves.
 */
export function approvalOf(gate: OpenGate, given: readonly GateCallAnswer[]): Approval | null {
  const answers: GateAnswer[] = []
  const calls: PreparedCall[] = []
  const left = new LeftTexts()
  for (const { callId, hash: shownHash } of gate.view.calls) {
    const answer = given.find((one) => one.callId === callId)
    const refused = (answer?.refusedHunks ?? []).filter(({ hunks }) => hunks.length > 0)
    const whole = gate.looks.find(({ call }) => call.callId === callId)
    const isApproved = answer?.isApproved === true && !isAllRefused(gate, callId, refused)
    const call = whole && left.made(whole.call, isApproved ? refused : null)
    const hash = isApproved ? (call?.hash ?? shownHash) : null
    if (isApproved && call !== undefined) calls.push(call)
    answers.push({ callId, shownHash, hash, isPartial: hash !== null && hash !== shownHash })
  }
  return answers.some(({ hash }) => hash !== null) ? { answers, calls } : null
}

type RefusedHunks = readonly { path: string; hunks: readonly number[] }[]

/** The texts that the calls of a gate leave where not all of them is taken, by their files. */
class LeftTexts {
  /** Shape: `planned` is what the calls so far would leave as a whole. */
  readonly #left = new Map<string, { planned: string; text: string; bytes: Uint8Array | null }>()

  /** The call as it shall run; `refused` null: it does not. */
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
      // It stands on what was refused: it is not written, and says so when it is carried out.
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

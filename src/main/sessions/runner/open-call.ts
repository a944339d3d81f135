import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import type { SpeculationBoundary } from '../../../shared/domain/session/speculation.ts'
import { toolCalled, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import type { ProposedCall } from '../../agent/agent-events.ts'
import type { Log } from '../../deps.ts'
import type { EffectsCall } from '../../tools/edits/effects-call.ts'
import type { CallResult, PreparedCall, RawCall, ReadCall } from '../../tools/prepared-call.ts'

/** A call without a result, as it was read. */
export type OpenCall = {
  itemId: string
  call: PreparedCall | null
  /** Why no tool accepts the call. */
  problem: string
  /** The boundary at which the speculation stops instead of making the call. */
  boundary: SpeculationBoundary | null
  options: string[]
  isPlan: boolean
  /** The line of a check that the host runs by itself; the model is not given its result as one of its calls'. */
  check: string | null
  title: string
  abort: AbortController
  /** Files that have changed while a command ran. */
  touched?: readonly string[]
  /**
   * Returns the result of a command that has run in a copy, where what was then asked about is not done. `isByUser`:
   * the user said no; else a rule did, or the call was stopped.
   */
  declined?: (reason: string | null, isByUser: boolean) => CallResult
  /** True for a call that ran in a copy which is gone since the host ended: it is not asked about as one not run. */
  hasLostCopy?: true
}

/**
 * Shape: `call` is what was carried out in the end; `waits`: a gate over what a command left is open, or the call stays
 * open in a fork.
 */
export type CarriedOut = { isOk: boolean; call: PreparedCall | undefined; waits?: true }

export function newCallItem({ callId, name, args }: RawCall) {
  return {
    kind: 'call' as const,
    callId,
    tool: toolCalled(name) ?? null,
    name,
    title: '',
    args,
    state: 'waiting' as const,
    outcome: null,
    text: '',
    view: null,
  }
}

export function openCallOf(call: ReadCall, itemId: string, check: string | null = null): OpenCall {
  const abort = new AbortController()
  const entry = { itemId, call: null, problem: '', boundary: null, options: [], isPlan: false, check, abort }
  if (call.kind === 'world') return { ...entry, call: call.call, title: call.call.title }
  if (call.kind === 'session')
    return { ...entry, options: call.options, isPlan: call.call.kind === 'plan', title: call.title }
  if (call.kind === 'boundary') return { ...entry, boundary: call.boundary, title: call.title }
  return { ...entry, problem: call.reason, title: call.title }
}

export function idOf(call: ReadCall): string {
  return 'callId' in call ? call.callId : call.call.callId
}

export function proposedOf(read: ReadCall): ProposedCall {
  if (read.kind === 'session') return read.call
  if (read.kind !== 'world') return { kind: read.kind, callId: read.callId }
  const { callId, access, isReadOnly, hash, title } = read.call
  return { kind: 'world', callId, access, isReadOnly, hash, title }
}

/**
 * Returns the call that is asked about again after a restart, null where there is none. For a command that ran in a copy,
 * this is the call that takes over its changes; it is null, and the entry says so, where the copy is gone.
 */
export async function reopenedCall(
  entry: OpenCall,
  item: SessionItem | undefined,
  log: Pick<Log, 'bug'>,
): Promise<PreparedCall | null> {
  const view = item?.kind === 'call' ? item.view : null
  if (view?.kind !== 'command' || view.sandboxed === undefined) return entry.call
  const effects = await entry.call?.reopened?.().catch((error: unknown) => {
    // An approval that cannot be asked again must not keep the session from being opened.
    log.bug(error, 'sandbox.reopen')
    return null
  })
  if (effects == null) entry.hasLostCopy = true
  else Object.assign(entry, { call: effects, declined: declinedEffects(effects, log) })
  return effects ?? null
}

/** Returns what ends the call of a command whose changes are not applied: they are dropped. */
export function declinedEffects(
  effects: EffectsCall,
  log: Pick<Log, 'bug'>,
): NonNullable<OpenCall['declined']> {
  return (reason, isByUser) => {
    effects.drop().catch((error: unknown) => log.bug(error, 'sandbox.drop'))
    return effects.declined(reason, isByUser)
  }
}

/** Returns the files that a call reads or writes: the conversation is about these. */
export function filesOf({ tool, facts }: PreparedCall): string[] {
  if (facts.kind === 'change') return facts.files.map(({ path, to }) => to ?? path)
  return facts.kind === 'read' && toolTraits[tool].notesRead === true ? facts.paths : []
}

/** Returns the files of which a call changes what the model knows. */
export function touchedBy(call: PreparedCall): string[] {
  const { facts } = call
  if (facts.kind !== 'change') return filesOf(call)
  return facts.files.flatMap(({ path, to }) => (to === null ? path : [path, to]))
}

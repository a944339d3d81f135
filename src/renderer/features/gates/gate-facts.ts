import type {
  GateAnswerInput,
  GateCall,
  GateFile,
  GateView,
  RiskReason,
} from '../../../shared/domain/session/gate.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import type { MessageKey, MessageValues } from '../../../shared/i18n/translate.ts'
import { type GateChoices, placeKey } from '../../state/slices/session/gates-slice.ts'

export type Words = { key: MessageKey; values?: MessageValues }

/** Input counts only if it began at least this long after the gate was painted. Units: ms. */
export const readingMs = 700

type Counted = GateFile['action'] | 'change' | 'read' | 'apply' | 'effects'

/** Returns the title: what would happen, from the facts alone. */
export function gateTitle(gate: GateView): Words {
  if (gate.kind === 'plan') return { key: 'gate.title.plan' }
  const files = gate.calls.flatMap((call) => call.files)
  const paths = new Set(files.map((file) => file.path))
  const commands = gate.calls.filter((call) => call.command !== null).length
  const reads = gate.calls.flatMap((call) => call.reads).length
  if (gate.kind === 'effects')
    return paths.size > 0 ? counted('effects', paths.size) : { key: 'gate.title.effects.other' }
  const ignored = gate.calls.flatMap(({ effects }) => effects?.ignored ?? [])
  const others = ignored.reduce((sum, part) => sum + part.files + part.removed, 0)
  if (gate.kind === 'apply') return counted('apply', paths.size + others)
  const outside = gate.calls.filter((call) => call.outside !== undefined)
  const services = outside.filter(({ tool }) => tool === 'mcp').length
  const sites = outside.length - services
  const kinds = [paths.size, commands, reads, sites, services].filter((count) => count > 0).length
  if (kinds !== 1) return { key: 'gate.title.mixed', values: { count: gate.calls.length } }
  if (commands === 1) return { key: 'gate.title.command' }
  if (commands > 1) return { key: 'gate.title.commands', values: { count: commands } }
  if (reads > 0) return counted('read', reads)
  if (services > 0) return { key: 'gate.title.services', values: { count: services } }
  if (sites > 0) return { key: 'gate.title.sites', values: { count: sites } }
  const actions = new Set(files.map((file) => file.action))
  const [action] = actions
  return counted(action !== undefined && actions.size === 1 ? action : 'change', paths.size)
}

function counted(what: Counted, count: number): Words {
  return { key: `gate.title.${what}`, values: { count } }
}

/** Returns a gate's subject for its header. `first` is one line; `more` counts further files, commands, addresses. */
export function gateSubject(gate: GateView): { first: string; more: number } {
  const [call] = gate.calls
  const names = gate.calls.flatMap(
    (one) => one.command?.line ?? one.outside?.line ?? [...pathsOf(one), ...one.reads],
  )
  const first = names[0] ?? call?.plan?.purpose ?? call?.intent ?? ''
  const [line = ''] = first.split('\n')
  return { first: line, more: Math.max(0, new Set(names).size - 1) }
}

/** Returns the calls of a gate that were left out of its approval, as their results tell it. */
export function refusedCalls({ calls }: GateView, items: readonly SessionItem[]): string[] {
  return items
    .flatMap((item) => (item.kind === 'call' && item.outcome === 'rejected' ? item.callId : []))
    .filter((callId) => calls.some((call) => call.callId === callId))
}

/** Returns the approved part: the gate without the calls that were left out. */
export function approvedPart(gate: GateView, refused: readonly string[]): GateView {
  const calls = gate.calls.filter(({ callId }) => !refused.includes(callId))
  return calls.length > 0 ? { ...gate, calls } : gate
}

/** Returns the words for a reason of risk. A line whose commands are known was parsed, whatever else is unclear. */
export function riskWords({ command }: Pick<GateCall, 'command'>, code: RiskReason['code']): MessageKey {
  const isParsed = (command?.parts.length ?? 0) > 0
  return code === 'unparsed' && isParsed ? 'risk.unsure' : `risk.${code}`
}

/** True where the call names no intent of its own: its title is the command, the file or the path. */
export function isSubjectOnly(call: GateCall): boolean {
  const title = call.intent.replace(/…$/, '')
  const names = [...call.files.map((file) => file.path), ...call.reads, ...pathsOf(call)]
  const line = call.command?.line ?? call.outside?.line
  return names.includes(title) || (line?.startsWith(title) ?? false)
}

function pathsOf(call: GateCall): string[] {
  return call.files.map((file) => (file.to === null ? file.path : `${file.path} → ${file.to}`))
}

export type FileTotals = { files: number; added: number; removed: number }

export function fileTotals(calls: readonly GateCall[]): FileTotals {
  const files = calls.flatMap((call) => call.files)
  return {
    files: new Set(files.map((file) => file.path)).size,
    added: files.reduce((sum, file) => sum + file.addedLines, 0),
    removed: files.reduce((sum, file) => sum + file.removedLines, 0),
  }
}

/** Returns the patterns that *always* would allow; null where some call may not be allowed for good. */
export function rememberedPatterns(gate: GateView): string[] | null {
  if (gate.kind !== 'calls' && gate.kind !== 'effects') return null
  const found = gate.calls.map(({ patterns = [] }) => patterns)
  return found.every(({ length }) => length > 0) ? [...new Set(found.flat())] : null
}

/** Places that the user takes out. `numbers` as they are printed beside the places, from 1. */
export type RefusedPlaces = { callId: string; path: string; numbers: number[]; isAll: boolean }

export function refusedPlaces(gate: GateView, choices: GateChoices): RefusedPlaces[] {
  const shared = Object.entries(choices.shared).flatMap(([path, { refused, total }]) => {
    if (refused.length === 0) return []
    const callId = sharingCalls(gate, path)[0]?.callId ?? ''
    const numbers = refused.map((index) => index + 1)
    return [{ callId, path, numbers, isAll: refused.length >= total }]
  })
  const own = gate.calls
    .filter((call) => !choices.leftOut.includes(call.callId))
    .flatMap((call) =>
      call.files.flatMap((file) => {
        const refused = choices.refused[placeKey(call.callId, file.path)] ?? []
        if (refused.length === 0 || file.path in choices.shared) return []
        const numbers = refused.map((index) => index + 1)
        return [{ callId: call.callId, path: file.path, numbers, isAll: refused.length >= file.hunks }]
      }),
    )
  return [...own, ...shared]
}

/** Calls that are shown together. Shape: `path` is the file that all of them change; null for a single call. */
export type GateBlock = { calls: readonly GateCall[]; path: string | null }

/** Returns the calls in their order; those that write into one file stand together in the place of the first. */
export function gateBlocks(gate: GateView): GateBlock[] {
  const blocks: GateBlock[] = []
  for (const call of gate.calls) {
    const path = writtenPath(call)
    const together = path === null ? [] : sharingCalls(gate, path)
    if (together.length < 2) blocks.push({ calls: [call], path: null })
    else if (together[0] === call) blocks.push({ calls: together, path })
  }
  return blocks
}

/** Returns the calls that write into a file; none where another moves or deletes it, or changes it among others. */
function sharingCalls({ calls }: GateView, path: string): GateCall[] {
  const about = calls.filter(({ files }) => files.some((file) => file.path === path || file.to === path))
  return about.every((call) => writtenPath(call) === path) ? about : []
}

/** Returns the file that a call writes into, where the call does nothing else. */
function writtenPath({ files, effects }: GateCall): string | null {
  const [file] = files
  const isWrite = file?.action === 'create' || file?.action === 'edit'
  return files.length === 1 && effects === undefined && isWrite ? file.path : null
}

/** Returns false for a call that the user left out, or of which all hunks were refused. */
export function isChosen(call: GateCall, choices: GateChoices): boolean {
  if (choices.leftOut.includes(call.callId)) return false
  if (call.files.length === 0) return true
  return call.files.some(
    (file) =>
      file.hunks === 0 || (choices.refused[placeKey(call.callId, file.path)]?.length ?? 0) < file.hunks,
  )
}

export type Verdict = Pick<GateAnswerInput, 'verdict' | 'remember' | 'sincePaintedMs'>

/** Returns the answer for the host. A call that is refused as a whole needs no places. */
export function gateAnswer(gate: GateView, choices: GateChoices, said: Verdict): GateAnswerInput {
  const isYes = said.verdict === 'approve'
  const reason = choices.reason?.trim() || null
  return {
    ...said,
    gateId: gate.gateId,
    reason: isYes ? null : reason,
    answers: gate.calls.map((call) => {
      const isApproved = isYes && isChosen(call, choices)
      return {
        callId: call.callId,
        shownHash: call.hash,
        isApproved,
        refusedHunks: isApproved
          ? call.files.flatMap(({ path }) => {
              const hunks = choices.refused[placeKey(call.callId, path)] ?? []
              return hunks.length > 0 ? [{ path, hunks: [...hunks] }] : []
            })
          : [],
      }
    }),
  }
}

import type { GateAnswerInput, GateCall, GateDiff, GateView } from '../../../../shared/domain/session/gate.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import type { ChainedHunk } from '../../../../shared/text/difference/chained-hunks.ts'
import { diffHunks, type Hunk } from '../../../../shared/text/difference/hunks.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { speculationGate } from './speculation-slice.ts'

/**
 * The user's choices at a gate that are not sent yet.
 *
 * Shape: `key` is of what the gate shows: with another key it asks about something else and every choice is new; then
 * `isChanged`. `refused`: places by `placeKey`. `shared`: of a file that several calls change, the refused ones of its
 * `total` places, by path; their hunks are in `refused` too. `leftOut`: calls that are refused as a whole. `reason` is
 * null until the user wants to give one.
 */
export type GateChoices = {
  key: string
  isChanged: boolean
  refused: Readonly<Record<string, readonly number[]>>
  shared: Readonly<Record<string, { refused: readonly number[]; total: number }>>
  leftOut: readonly string[]
  reason: string | null
  isSending: boolean
  error: ErrorInfo | null
}

export type LoadedDiff = GateDiff & { hunks: Hunk[] }
type GateDiffState = { diff: LoadedDiff | null; error: ErrorInfo | null }
type DiffLayout = 'unified' | 'side-by-side'

/** Returns a key of what a gate shows: the hashes of its calls. */
export function gateKey(gate: GateView): string {
  return gate.calls.map((call) => call.hash).join(' ')
}

export function placeKey(callId: string, path: string): string {
  return `${callId} ${path}`
}

export function diffKey(gate: GateView, call: GateCall, path: string): string {
  return `${gate.gateId} ${call.hash} ${placeKey(call.callId, path)}`
}

export function newGateChoices(gate: GateView): GateChoices {
  return {
    key: gateKey(gate),
    isChanged: false,
    refused: {},
    shared: {},
    leftOut: [],
    reason: null,
    isSending: false,
    error: null,
  }
}

export function createGatesSlice(context: SliceContext) {
  const { client, get, patch, memory, tell } = context

  const putChoices = (gateId: string, change: Partial<GateChoices>) => {
    const choices = get().gates.choices[gateId]
    if (choices) patch('gates', { choices: { ...get().gates.choices, [gateId]: { ...choices, ...change } } })
  }
  const putDiff = (key: string, state: GateDiffState) =>
    patch('gates', { diffs: { ...get().gates.diffs, [key]: state } })

  return {
    choices: {} as Readonly<Record<string, GateChoices>>,
    /** By `diffKey`; loaded as they come on the screen. */
    diffs: {} as Readonly<Record<string, GateDiffState>>,
    layout: memory.read('diff-layout') === 'side-by-side' ? 'side-by-side' : ('unified' as DiffLayout),
    /** The user asked for the waiting gate or question: it takes the focus, and a gate is scrolled to. */
    isFrontWanted: false,
    /** A gate opened while the window was not in front. */
    isUnseen: false,

    /** Called as a gate is shown: makes its choices, or makes them anew where it shows something else. */
    see(gate: GateView) {
      const seen = get().gates.choices[gate.gateId]
      if (seen?.key === gateKey(gate)) return
      const choices = { ...newGateChoices(gate), isChanged: seen !== undefined, reason: seen?.reason ?? null }
      patch('gates', { choices: { ...get().gates.choices, [gate.gateId]: choices } })
    },
    /** Forgets what an answered gate had loaded. */
    settle(gateId: string) {
      const { [gateId]: settled, ...choices } = get().gates.choices
      if (settled === undefined) return
      const kept = Object.entries(get().gates.diffs).filter(([key]) => !key.startsWith(`${gateId} `))
      patch('gates', { choices, diffs: Object.fromEntries(kept) })
    },
    async loadDiff(gate: GateView, call: GateCall, path: string) {
      const sessionId = get().conversation.current?.sessionId
      const key = diffKey(gate, call, path)
      const known = get().gates.diffs[key]
      if (sessionId === undefined || (known && known.error === null)) return
      putDiff(key, { diff: null, error: null })
      try {
        const { gateId } = gate
        const diff = await client['gate.diff']({ sessionId, gateId, callId: call.callId, path })
        const hunks = diffHunks(diff.oldText ?? '', diff.newText ?? '')
        putDiff(key, { diff: { ...diff, hunks }, error: null })
      } catch (error) {
        putDiff(key, { diff: null, error: infoOf(error) })
      }
    },

    refuseHunks(gateId: string, place: string, hunks: readonly number[]) {
      const refused = get().gates.choices[gateId]?.refused
      putChoices(gateId, { refused: { ...refused, [place]: hunks.toSorted((a, b) => a - b) } })
    },
    /** The same for a file that several calls change; `callIds` are those, in the order of the steps. */
    refuseShared(
      gateId: string,
      { path, callIds, hunks }: { path: string; callIds: readonly string[]; hunks: readonly ChainedHunk[] },
      refused: readonly number[],
    ) {
      const choices = get().gates.choices[gateId]
      const parts = hunks.filter(({ index }) => refused.includes(index)).flatMap((hunk) => hunk.parts)
      const byCall = callIds.map((callId, at): [string, number[]] => {
        const own = parts.filter(({ step }) => step === at).map(({ hunk }) => hunk)
        return [placeKey(callId, path), own.toSorted((a, b) => a - b)]
      })
      putChoices(gateId, {
        refused: { ...choices?.refused, ...Object.fromEntries(byCall) },
        shared: { ...choices?.shared, [path]: { refused, total: hunks.length } },
      })
    },
    leaveOut(gateId: string, callId: string, isLeftOut: boolean) {
      const others = get().gates.choices[gateId]?.leftOut.filter((id) => id !== callId) ?? []
      putChoices(gateId, { leftOut: isLeftOut ? [...others, callId] : others })
    },
    setReason: (gateId: string, reason: string | null) => putChoices(gateId, { reason }),
    setLayout(layout: DiffLayout) {
      memory.write('diff-layout', layout)
      patch('gates', { layout })
    },
    wantFront: (isFrontWanted: boolean) => patch('gates', { isFrontWanted }),
    setUnseen: (isUnseen: boolean) => patch('gates', { isUnseen }),
    async notify(body: string) {
      try {
        await client['host.notify']({ body, command: 'gate.focus' })
      } catch (error) {
        // The gate itself is in the window; a lost connection is told there.
        tell(error, 'rpc/closed')
      }
    },

    async answer(gateId: string, answer: GateAnswerInput) {
      if (get().gates.choices[gateId]?.isSending) return false
      putChoices(gateId, { isSending: true, error: null })
      const isOfSpeculation = speculationGate(get())?.gateId === gateId
      const error = await (isOfSpeculation ? get().speculation : get().conversation).answerGate(answer)
      putChoices(gateId, { isSending: false, error })
      return error === null
    },
  }
}

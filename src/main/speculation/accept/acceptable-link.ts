import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import type { GateAnswerInput, GateView } from '../../../shared/domain/session/gate.ts'
import type {
  MergedFile,
  SpeculationBoundary,
  SpeculationConflict,
} from '../../../shared/domain/session/speculation.ts'
import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import type { Denial } from '../../gates/judge.ts'
import type { ForkedTurn } from '../../sessions/adopted-turn.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import type { SessionRunner } from '../../sessions/runner/session-runner.ts'
import type { ReadLedger } from '../../tools/edits/read-ledger.ts'
import type { Overlay, StaleFiles } from '../overlay/overlay.ts'

/**
 * A speculation that can be accepted. It has stopped: the caller has waited for the call that ran and has ended the
 * request that was open, and lets nothing begin in it before the acceptance has an outcome.
 *
 * Shape: `fork` reads the turns of the fork. `ledger` is the fork's: which contents its model has seen. Where a
 * call is its `boundary`, the calls behind it were never made. `held`: what its runner still had to tell the model;
 * `heldBefore`: what that of the session had to tell when the fork left it.
 */
export type AcceptableLink = {
  speculationId: string
  boundary: SpeculationBoundary | null
  overlay: Pick<Overlay, 'files' | 'reads' | 'staleForCommands' | 'takeIn'>
  ledger: Pick<ReadLedger, 'has' | 'knows' | 'filesInUse'>
  held: readonly PromptEntry[]
  heldBefore: readonly PromptEntry[]
  fork(): ForkedTurn
}

/** The session that accepts a speculation, with its runner. Shape: `root` is the real path of its folder. */
export type AcceptingSession = {
  session: LiveSession
  runner: Pick<SessionRunner, 'forget' | 'inherit' | 'held'>
  root: string
  ledger: Pick<ReadLedger, 'note' | 'replaced'>
}

/**
 * The user's answers so far. Shape: `asked` is the gate that the last outcome left open, `shown` as the user saw it and
 * `gate` the answer to it; a refusal counts also where the gate has been closed by files that changed.
 * `wasAnswered`: a gate of this speculation was answered, perhaps with refused places: from then on only another answer
 * is consent, also where that answer or the mode would allow everything by now.
 */
export type AcceptAnswers = {
  asked: string | null
  shown: GateView | null
  wasAnswered: boolean
  knowsStale: boolean
  merged: readonly MergedFile[]
  gate: GateAnswerInput | null
}

export const noAnswers: AcceptAnswers = {
  asked: null,
  shown: null,
  wasAnswered: false,
  knowsStale: false,
  merged: [],
  gate: null,
}

/**
 * The result of an attempt to accept. Only `accepted` changes the folder and the session.
 *
 * `stale`, `conflicts`, `gate`: the user is asked, and `accept` is called again with the answer. `denied`: a rule or
 * the mode forbids the change; nothing was done. `lost`: the session is no longer as the fork left it: the speculation
 * can only be dropped.
 * `accepted`: `files` as they were changed; `left`: files that were changed in the last moment and were left alone;
 * `isAltered`: places were refused, merged or left, so that speculations based on this one no longer fit;
 * `isRefused`: all changes were refused: the conversation was adopted, but no file. `how`: how the adopted
 * turn has ended; null where something in it waits, and the session's runner goes on with it.
 */
export type AcceptOutcome =
  | ({ step: 'stale' } & StaleFiles)
  | { step: 'conflicts'; files: SpeculationConflict[] }
  | { step: 'gate'; gate: GateView }
  | { step: 'denied'; denial: Denial }
  | { step: 'lost' }
  | {
      step: 'accepted'
      changeSetId: string | null
      files: ChangedFile[]
      left: string[]
      waiting: { path: string; error: ErrorInfo }[]
      refusedHunks: number
      isAltered: boolean
      isRefused: boolean
      how: TurnEnd | null
    }

/** The effect of an acceptance: it writes without a question, asks first, or is denied by a rule or the mode. */
export type AcceptOutlook = 'write' | 'ask' | 'denied'

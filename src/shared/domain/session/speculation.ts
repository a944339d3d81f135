import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { GateAnswerInput, GateView } from './gate.ts'
import { ChangedFile } from './tool-result.ts'

/**
 * What a speculation stops at, since it may not be done before the user has said so.
 *
 * `write`, `shell`, `asks`, `unknown`: a call of that class (`asks`: the network, another agent, the user).
 * `rule`: a call about which the user would have been asked. `question`, `pending_user`: the model wants to know
 * something. `plan`: a plan of high risk. `review`: a verdict that does not approve. `gate`: any other gate.
 * `budget`: turns, messages, tokens or time are used up. `interrupted`: somebody else wanted the model. `empty`: the
 * last word is no answer of the model's.
 * Source: `docs/decisions/speculation.md`.
 */
const SpeculationBoundaryKind = z.enum([
  'write',
  'shell',
  'asks',
  'unknown',
  'rule',
  'question',
  'pending_user',
  'plan',
  'review',
  'gate',
  'budget',
  'interrupted',
  'empty',
])

/**
 * Where a speculation stopped.
 *
 * Shape: `callId` of the call that was not made, null where none was; `title` its line. `copy`: why a command was not
 * run in a copy of the folder: there is no sandbox, nobody has allowed it, the user is asked about such a line also where
 * it is allowed, or nothing of its run could be kept.
 */
export const SpeculationBoundary = z.object({
  kind: SpeculationBoundaryKind,
  callId: z.string().nullable(),
  title: z.string(),
  copy: z.enum(['missing', 'off', 'asked', 'failed']).optional(),
})
export type SpeculationBoundary = z.infer<typeof SpeculationBoundary>

/**
 * A file that is not what the run ahead found any more.
 *
 * `changed`, `removed`, `appeared`: by somebody else; `folder`: there is none where a file was; `closed`: it may not be
 * written any more; `elsewhere`: a link leads its path somewhere else. The last three can only be kept as they are.
 * Shape: texts null: no such file, or, where not `isText`, none that can be shown: it is taken or left as a whole.
 * `currentHash`: of what lies on the disk, which a decision names.
 */
export const SpeculationConflict = z.object({
  path: z.string(),
  why: z.enum(['changed', 'removed', 'appeared', 'folder', 'closed', 'elsewhere']),
  isText: z.boolean(),
  currentHash: z.string().nullable(),
  baseText: z.string().nullable(),
  currentText: z.string().nullable(),
  newText: z.string().nullable(),
})
export type SpeculationConflict = z.infer<typeof SpeculationConflict>

/**
 * How far an acceptance has come; nothing is in the folder or the session before `committing`.
 *
 * `finishing`: the call that runs is waited for. `stale`: files that were only read have changed since. `conflicts`:
 * files of it were changed since. `gate`: the user's consent is wanted, shown as any gate.
 */
export const SpeculationAccepting = z.discriminatedUnion('step', [
  z.object({ step: z.literal('finishing') }),
  z.object({ step: z.literal('planning') }),
  z.object({ step: z.literal('stale'), paths: z.array(z.string()) }),
  z.object({ step: z.literal('conflicts'), files: z.array(SpeculationConflict) }),
  z.object({ step: z.literal('gate'), gate: GateView }),
  z.object({ step: z.literal('committing') }),
])
export type SpeculationAccepting = z.infer<typeof SpeculationAccepting>

/**
 * What a file in conflict shall be: this `text`, as it is on the disk (`keep`), or all of it as the run ahead made it
 * (`speculated`, also where that is no file). Shape: `currentHash` as it was shown; another one now is asked again.
 */
export const MergedFile = z.object({
  path: z.string(),
  currentHash: z.string().nullable(),
  take: z.enum(['text', 'keep', 'speculated']),
  text: z.string().nullable(),
})
export type MergedFile = z.infer<typeof MergedFile>

/** The user's word on what an acceptance asks. `rerun`, `cancel`: nothing is applied. */
export const SpeculationDecision = z.discriminatedUnion('kind', [
  /** To `stale`. */
  z.object({ kind: z.literal('go-on') }),
  z.object({ kind: z.literal('rerun') }),
  /** To `conflicts`. */
  z.object({ kind: z.literal('merge'), files: z.array(MergedFile) }),
  /** To `gate`. */
  z.object({ kind: z.literal('gate'), answer: GateAnswerInput }),
  z.object({ kind: z.literal('cancel') }),
])
export type SpeculationDecision = z.infer<typeof SpeculationDecision>

export const SpeculationPhase = z.enum(['running', 'completed', 'boundary', 'accepting'])
export type SpeculationPhase = z.infer<typeof SpeculationPhase>

/**
 * One run ahead as windows see it.
 *
 * Shape: `files` are the net changes so far; `calls` have a result. `next`: what is suggested after it, null as long
 * as there is none. `failure`: why the last attempt to accept it did not come to an end. `tests`: of the last command
 * that ran tests. `onAccept`: what its acceptance does next: the run goes on in the session, the changes are asked about
 * or written, or there are none and the answer is added; null as long as that is not known. Units: tokens, ms.
 */
export const SpeculationLinkState = z.object({
  speculationId: z.string(),
  suggestionId: z.string(),
  /** What it answers: the suggested message. */
  text: z.string(),
  phase: SpeculationPhase,
  modelName: z.string(),
  startedAt: z.number(),
  turns: z.int().min(0),
  calls: z.int().min(0),
  files: z.array(ChangedFile),
  tests: z.object({ passed: z.int().min(0), failed: z.int().min(0) }).nullable(),
  cost: z.object({ promptTokens: z.int(), completionTokens: z.int(), ms: z.number() }),
  onAccept: z.enum(['go-on', 'ask', 'write', 'add']).nullable(),
  boundary: SpeculationBoundary.nullable(),
  next: z.string().nullable(),
  accepting: SpeculationAccepting.nullable(),
  failure: ErrorInfo.nullable(),
})
export type SpeculationLinkState = z.infer<typeof SpeculationLinkState>

/** Fewer of the last finished runs were taken than pays. */
export const SpeculationPause = z.object({ accepted: z.int().min(0), finished: z.int().min(1) })
export type SpeculationPause = z.infer<typeof SpeculationPause>

/**
 * A speculation that ended although the user had not decided on it.
 *
 * `reason`: `lost` where the session has changed since it began, `failed` with `error`, else the name of the guard
 * that closed.
 */
export const SpeculationEnded = z.object({
  speculationId: z.string(),
  text: z.string(),
  reason: z.string(),
  error: ErrorInfo.nullable(),
})
export type SpeculationEnded = z.infer<typeof SpeculationEnded>

/**
 * What is done ahead in a session: nothing, one run, or a run and one on top of it. It belongs to the session: the
 * first window that accepts or rejects `speculationId` decides for all.
 *
 * Shape: `dropped`: why the last one is gone (a guard's name, `rejected`, `failed`, …). `ended`: shown until
 * the user dismisses it or goes on. `pause`: of the app.
 */
export const SpeculationState = z.object({
  links: z.array(SpeculationLinkState).max(2),
  dropped: z.string().nullable(),
  ended: SpeculationEnded.nullable(),
  pause: SpeculationPause.nullable(),
})
export type SpeculationState = z.infer<typeof SpeculationState>

export const noSpeculation: SpeculationState = { links: [], dropped: null, ended: null, pause: null }

/**
 * One run ahead: kept on this machine only, without its text.
 *
 * Shape: `isFinished` where it completed or came to a boundary before anything else happened to it: these are what
 * acceptance is judged by. `outcome` stays `completed` or `boundary` as long as nobody decided, and becomes `aborted`
 * with the reason where something took it away. `depth` 1 stands on another one. `refusedHunks`: places that the
 * user took out. Units: ms, tokens.
 * Source: *Prompt suggestions*, SpeculationEvent.
 */
export const SpeculationEvent = z.object({
  speculationId: z.string(),
  suggestionId: z.string(),
  sessionId: z.string(),
  at: z.number(),
  depth: z.int().min(0),
  modelName: z.string(),
  outcome: z.enum(['running', 'completed', 'boundary', 'accepted', 'rejected', 'aborted', 'failed']),
  reason: z.string().nullable(),
  isFinished: z.boolean(),
  boundary: SpeculationBoundaryKind.nullable(),
  turnsUsed: z.int(),
  filesWritten: z.int(),
  toolUseCount: z.int(),
  durationMs: z.number(),
  hadPipelinedSuggestion: z.boolean(),
  refusedHunks: z.int(),
  promptTokens: z.int(),
  reusedTokens: z.int(),
  completionTokens: z.int(),
})
export type SpeculationEvent = z.infer<typeof SpeculationEvent>

/** All events together. Units: tokens. `finished`: runs that completed or came to a boundary. */
export const SpeculationSummary = z.object({
  started: z.int(),
  finished: z.int(),
  accepted: z.int(),
  outcomes: z.record(z.string(), z.int()),
  boundaries: z.record(z.string(), z.int()),
  promptTokens: z.int(),
  reusedTokens: z.int(),
  completionTokens: z.int(),
})
export type SpeculationSummary = z.infer<typeof SpeculationSummary>

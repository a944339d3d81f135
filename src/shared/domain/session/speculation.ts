import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { GateAnswerInput, GateView } from './gate.ts'
import { ChangedFile } from './tool-result.ts'

/**
 * The kind of boundary at which a speculation stops, since it needs the user's consent first.
 *
 * `write`, `shell`, `asks`, `unknown`: a call of that class (`asks`: the network, another agent, the user). `rule`: a
 * call about which the user would have been asked. `question`, `pending_user`: the model asks the user something.
 * `plan`: a plan of high risk. `review`: a verdict that does not approve. `gate`: any other gate. `budget`: turns,
 * messages, tokens or time are used up. `interrupted`: another request needed the model. `empty`: it does not end with
 * an answer of the model.
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
 * The boundary at which a speculation stopped.
 *
 * Shape: `callId` of the call that was not made, null where none was; `title` its line. `copy`: why a command was not
 * run in a copy of the folder. `missing`: there is no sandbox; `off`: the user has not allowed it; `asked`: the user is
 * asked about such a line even where copies are allowed; `failed`: nothing of its run could be kept.
 */
export const SpeculationBoundary = z.object({
  kind: SpeculationBoundaryKind,
  callId: z.string().nullable(),
  title: z.string(),
  copy: z.enum(['missing', 'off', 'asked', 'failed']).optional(),
})
export type SpeculationBoundary = z.infer<typeof SpeculationBoundary>

/**
 * A file that is no longer as the speculation found it.
 *
 * `changed`, `removed`, `appeared`: by somebody else; `folder`: it is a folder now; `closed`: it can no longer be
 * written; `elsewhere`: a link leads its path somewhere else now. Files of the last three can only be kept as they are.
 * Shape: texts are null where there is no such file or, where not `isText`, no text to show: such a file is taken or
 * left as a whole. `currentHash` is of the file on the disk; a decision names it.
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
 * The progress of an acceptance; nothing is written to the folder or the session before `committing`.
 *
 * `finishing`: waits for the call that runs. `stale`: files that were read, or may have been, have changed since;
 * `hasMore`: `paths` are the first of many. `conflicts`: files that the speculation changed have changed since. `gate`:
 * asks for the user's consent, shown as any gate.
 */
export const SpeculationAccepting = z.discriminatedUnion('step', [
  z.object({ step: z.literal('finishing') }),
  z.object({ step: z.literal('planning') }),
  z.object({ step: z.literal('stale'), paths: z.array(z.string()), hasMore: z.boolean() }),
  z.object({ step: z.literal('conflicts'), files: z.array(SpeculationConflict) }),
  z.object({ step: z.literal('gate'), gate: GateView }),
  z.object({ step: z.literal('committing') }),
])
export type SpeculationAccepting = z.infer<typeof SpeculationAccepting>

/**
 * The user's choice for a file in conflict: this `text`, as it is on the disk (`keep`), or all of it as the
 * speculation made it (`speculated`, even where that is no file). Shape: `currentHash` as it was shown; where the
 * file has another hash now, the user is asked again.
 */
export const MergedFile = z.object({
  path: z.string(),
  currentHash: z.string().nullable(),
  take: z.enum(['text', 'keep', 'speculated']),
  text: z.string().nullable(),
})
export type MergedFile = z.infer<typeof MergedFile>

/** The user's answer to the question of an acceptance. `rerun`, `cancel`: nothing is applied. */
export const SpeculationDecision = z.discriminatedUnion('kind', [
  /** Answers `stale`. */
  z.object({ kind: z.literal('go-on') }),
  z.object({ kind: z.literal('rerun') }),
  /** Answers `conflicts`. */
  z.object({ kind: z.literal('merge'), files: z.array(MergedFile) }),
  /** Answers `gate`. */
  z.object({ kind: z.literal('gate'), answer: GateAnswerInput }),
  z.object({ kind: z.literal('cancel') }),
])
export type SpeculationDecision = z.infer<typeof SpeculationDecision>

export const SpeculationPhase = z.enum(['running', 'completed', 'boundary', 'accepting'])
export type SpeculationPhase = z.infer<typeof SpeculationPhase>

/**
 * One speculation as windows see it.
 *
 * Shape: `files` are the net changes so far; `calls` counts calls with a result. `next`: the suggestion after it, if
 * any. `attempts`: how often its acceptance has begun. `failure`: why the last attempt did not complete. `tests`: of
 * the last command that ran tests. `onAccept`: what its acceptance does next; null as long as that is not known.
 * `go-on`: it continues in the session; `ask`, `write`, `denied`: the changes are asked about, written, or forbidden;
 * `add`: without changes, the answer is added. Units: tokens, ms.
 */
export const SpeculationLinkState = z.object({
  speculationId: z.string(),
  suggestionId: z.string(),
  /** The suggested message that it answers. */
  text: z.string(),
  phase: SpeculationPhase,
  modelName: z.string(),
  startedAt: z.number(),
  turns: z.int().min(0),
  calls: z.int().min(0),
  files: z.array(ChangedFile),
  tests: z.object({ passed: z.int().min(0), failed: z.int().min(0) }).nullable(),
  cost: z.object({ promptTokens: z.int(), completionTokens: z.int(), ms: z.number() }),
  onAccept: z.enum(['go-on', 'ask', 'write', 'denied', 'add']).nullable(),
  boundary: SpeculationBoundary.nullable(),
  next: z.string().nullable(),
  accepting: SpeculationAccepting.nullable(),
  attempts: z.int().min(0),
  failure: ErrorInfo.nullable(),
})
export type SpeculationLinkState = z.infer<typeof SpeculationLinkState>

/** Speculation is paused, since the user accepted too few of the last finished ones. */
export const SpeculationPause = z.object({ accepted: z.int().min(0), finished: z.int().min(1) })
export type SpeculationPause = z.infer<typeof SpeculationPause>

/**
 * A speculation that ended before the user decided on it.
 *
 * `reason`: `lost` where the session has changed since it began, `failed` with `error`, else the name of the guard
 * that ended it.
 */
export const SpeculationEnded = z.object({
  speculationId: z.string(),
  text: z.string(),
  reason: z.string(),
  error: ErrorInfo.nullable(),
})
export type SpeculationEnded = z.infer<typeof SpeculationEnded>

/**
 * The speculations of a session: none, one, or one with another on top of it. They belong to the session: the first
 * window that accepts or rejects `speculationId` decides for all.
 *
 * Shape: `dropped`: why the last one is gone (a guard's name, `rejected`, `failed`, …). `ended`: shown until
 * the user dismisses it or goes on. `pause`: holds for the whole app.
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
 * The record of one speculation: kept on this machine only, without its text.
 *
 * Shape: `isFinished`: it completed or came to a boundary before anything else happened to it; the rate of acceptance
 * counts these alone. `outcome` stays `completed` or `boundary` until the user decides, and becomes `aborted` with the
 * reason where something else ended it (`interrupted`: its host was killed). `depth` 1: it ran on top of another one. `refusedHunks`: the number of places
 * that the user took out. Units: ms, tokens.
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

/** The totals of all events. Units: tokens. `finished`: runs that completed or came to a boundary. */
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

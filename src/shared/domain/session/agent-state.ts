import { z } from 'zod'
import { AgentGate, DecisionRecord } from './agent-consent.ts'
import {
  AgentCourse,
  CourseItem,
  courseLimits,
  courseLine,
  courseLines,
  emptyCourse,
} from './agent-course.ts'
import { AgentPlan, ReviewReport, TodoList } from './agent-plan.ts'
import { AgentMode, AgentPlace, AgentPosition, isRestingPosition } from './agent-step.ts'

/**
 * How often events may happen before the user is asked again; all but `recoveries` are counted per message.
 *
 * Source: `docs/decisions/sessions.md`, points 8 and 9, Tables; three unusable answers in succession are an error (T2).
 */
export const counterLimits = {
  requested: 1,
  refusals: 2,
  recoveries: 2,
  decisions: 4,
  calls: 50,
  requests: 50,
  invalidAnswers: 3,
  checkRuns: 3,
} as const

const AgentCounters = z.object({
  /** Transitions that the model requested and got. */
  requested: z.number().int().min(0).max(counterLimits.requested),
  /** Transitions that the model requested and did not get. */
  refusals: z.number().int().min(0).max(counterLimits.refusals),
  recoveries: z.number().int().min(0).max(counterLimits.recoveries),
  decisions: z.number().int().min(0).max(counterLimits.decisions),
  calls: z.number().int().min(0).max(counterLimits.calls),
  /** Requests of the direct path: each answer is its own decision. */
  requests: z.number().int().min(0).max(counterLimits.requests).default(0),
  /** Successive answers with calls of which none could be used. */
  invalidAnswers: z.number().int().min(0).max(counterLimits.invalidAnswers).default(0),
  /** Runs of the folder's checks: after the changes, and after each of two rounds of fixes. */
  checkRuns: z.number().int().min(0).max(counterLimits.checkRuns).default(0),
})
type AgentCounters = z.infer<typeof AgentCounters>

/** The access that a call needs. A command is `execute`, whatever it does. */
export const CallAccess = z.enum(['read', 'write', 'execute'])
export type CallAccess = z.infer<typeof CallAccess>

/**
 * A call of the model's answer that has no result yet, in the answer's order.
 *
 * Shape: `asked` waits for the gate service or a gate, `ready` for the calls before it; of `world` calls, only those
 * that are `ready` or `running` have a record. A `todo` takes effect once the calls before it have succeeded. A
 * `boundary` is a call that a speculation does not make: it waits for the session that takes the turn over.
 */
export const OpenCall = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('world'),
    callId: z.string(),
    access: CallAccess,
    hash: z.string(),
    /** The host's check found that this command only reads, so it may run beside reads. Absent: no such command. */
    isReadOnly: z.literal(true).optional(),
    stage: z.enum(['asked', 'ready', 'running']),
    record: DecisionRecord.nullable(),
  }),
  z.object({
    kind: z.literal('question'),
    callId: z.string(),
    question: z.string(),
    stage: z.enum(['ready', 'running']),
  }),
  z.object({
    kind: z.literal('todo'),
    callId: z.string(),
    todos: TodoList,
    stage: z.literal('ready'),
  }),
  z.object({ kind: z.literal('boundary'), callId: z.string(), stage: z.literal('waiting') }),
])
export type OpenCall = z.infer<typeof OpenCall>

/**
 * How a turn ended. `asked`: with a question to the user; `waits-at-gate`: until the user answers a gate; `limit`: by a
 * limit or a rule of the host; `stopped`: by the user, also by a refusal without a reason or a reset; `failed`: also by
 * the end of the host.
 */
export const TurnEnd = z.enum(['replied', 'asked', 'waits-at-gate', 'done', 'stopped', 'failed', 'limit'])
export type TurnEnd = z.infer<typeof TurnEnd>

/**
 * One change of step or status, or the end of a turn, which may change neither.
 *
 * Shape: `cause` is the id of the table's row; `seq` counts over the session. `ended` and `review` are absent where the
 * row ends no turn and follows no verdict, and in histories of earlier versions.
 */
export const AgentTransition = z.object({
  seq: z.number().int().min(1),
  from: AgentPlace,
  to: AgentPlace,
  cause: z.string(),
  ended: TurnEnd.optional(),
  review: ReviewReport.shape.verdict.optional(),
})
export type AgentTransition = z.infer<typeof AgentTransition>

/** The purpose of a reply. `question`: the reply asks the user about `about`. */
export const AgentReply = z.object({ kind: z.enum(['plain', 'question', 'defer']), about: z.string() })
export type AgentReply = z.infer<typeof AgentReply>

const AgentTurn = z.object({
  /** The user's message in one line; a deferred one becomes an open question. */
  message: courseLine(courseLimits.openQuestions.characters),
  /** The message came while a task was in progress or stopped: a new task may be planned in its place. */
  isResumed: z.boolean().default(false),
  /** The last decision's rationale: what a gate shows where a call gives no reason of its own. */
  rationale: z.string(),
  /** The model decides again after PLANNING's work. */
  isContinued: z.boolean(),
  /** The reply that is written now ends the task. */
  isEnding: z.boolean(),
  /** Numbers the requests to models; answers to any but the open one are ignored. */
  lastRequestId: z.number().int().min(0),
  openRequestId: z.number().int().nullable(),
  /** A gate that was asked for and is not open yet. */
  gateRequest: z.enum(['plan', 'apply']).nullable(),
  /** True where a plan was proposed since the current specialised work began. */
  hasProposedPlan: z.boolean(),
  review: ReviewReport.nullable(),
  reply: AgentReply.nullable().default(null),
  /** The model's answers carry their own decisions: it calls tools, and its text is the reply. */
  isDirect: z.boolean().default(false),
  /** The model's last answer was empty: it is asked once more. */
  isSilent: z.boolean().default(false),
  /** `due`: the next request of the direct path asks for a review; `passed`: it approved, or none is needed. */
  reviewing: z.enum(['none', 'due', 'passed']).default('none'),
  /** The folder's checks run before a text counts as the reply. `steered`: the user has sent more meanwhile. */
  checking: z.enum(['none', 'running', 'problems', 'steered']).default('none'),
  /** The user wants a review of every change. */
  isReviewWanted: z.boolean().default(false),
  /** A call of this turn, on the direct path, has changed something since the last plan was proposed, if any. */
  hasChanged: z.boolean().default(false),
  /** A change was refused, since mode `plan` only plans. */
  isChangeRefused: z.boolean().default(false),
  /** Files that this turn has changed, as far as they are counted. */
  changedFiles: z.array(z.string()).default([]),
})
type AgentTurn = z.infer<typeof AgentTurn>

/** The number of identical corrections after which the host proposes to remember them. */
export const correctionsUntilProposal = 3

/** A correction by the user, in the words that would be remembered. */
const Correction = z.object({
  text: courseLine(courseLimits.corrections.characters),
  times: z.int().min(0).max(correctionsUntilProposal),
  /** The user does not want it remembered: it is not proposed again. */
  isDeclined: z.boolean(),
})
export type Correction = z.infer<typeof Correction>

/** Facts of a project that outlive its sessions. */
export const AgentMemory = z.object({
  filesWritten: z.number().int().min(0),
  operationsSucceeded: z.number().int().min(0),
  /** Confirmed by the user. */
  learnedPatterns: courseLines(courseLimits.learnedPatterns),
  corrections: z.array(Correction).max(courseLimits.corrections.items).default([]),
})
export type AgentMemory = z.infer<typeof AgentMemory>

/** Changes that wait to be applied as a whole: a speculation. */
const StagedChanges = z.object({ callId: z.string(), hash: z.string() })

export const historyLimit = 200

const AgentParts = AgentPosition.extend({
  mode: AgentMode,
  /** The mode that was set before `plan`: a plan is carried out in it. */
  modeBefore: AgentMode.default('ask'),
  counters: AgentCounters,
  course: AgentCourse,
  /** Items that the user wrote: the model may only propose. */
  pinned: z.array(CourseItem),
  lastDelta: courseLine(courseLimits.lastDelta.characters),
  decisionLog: courseLines(courseLimits.decisionLog),
  contextRefs: courseLines(courseLimits.contextRefs),
  memory: AgentMemory,
  plan: AgentPlan.nullable(),
  staged: StagedChanges.nullable(),
  calls: z.array(OpenCall),
  gates: z.array(AgentGate),
  turn: AgentTurn,
  history: z.array(AgentTransition).max(historyLimit),
})

/** The whole state of a session's agent: one value with one owner, saved at every change. */
export const AgentState = AgentParts.refine(isConsistent, 'position, gates and calls contradict each other')
export type AgentState = z.infer<typeof AgentState>

/** A turn in which nothing has happened yet. */
export const idleTurn: AgentTurn = {
  message: '',
  isResumed: false,
  rationale: '',
  isContinued: false,
  isEnding: false,
  lastRequestId: 0,
  openRequestId: null,
  gateRequest: null,
  hasProposedPlan: false,
  review: null,
  reply: null,
  isDirect: false,
  isSilent: false,
  reviewing: 'none',
  checking: 'none',
  isReviewWanted: false,
  hasChanged: false,
  isChangeRefused: false,
  changedFiles: [],
}

const emptyMemory: AgentMemory = {
  filesWritten: 0,
  operationsSucceeded: 0,
  learnedPatterns: [],
  corrections: [],
}

const noCounts: AgentCounters = {
  requested: 0,
  refusals: 0,
  recoveries: 0,
  decisions: 0,
  calls: 0,
  requests: 0,
  invalidAnswers: 0,
  checkRuns: 0,
}

/** Returns the state of a new session, which inherits only the project's memory. */
export function newAgentState(options: { mode?: AgentMode; memory?: AgentMemory } = {}): AgentState {
  return {
    step: 'PLANNING',
    status: 'IN_PROGRESS',
    waiting: 'none',
    mode: options.mode ?? 'ask',
    modeBefore: 'ask',
    counters: noCounts,
    course: emptyCourse,
    pinned: [],
    lastDelta: '',
    decisionLog: [],
    contextRefs: [],
    memory: options.memory ?? emptyMemory,
    plan: null,
    staged: null,
    calls: [],
    gates: [],
    turn: idleTurn,
    history: [],
  }
}

/** Returns true while a gate waits for the user's consent: derived from the queue, never stored. */
export function hasPendingGate(state: Pick<AgentState, 'gates'>): boolean {
  return state.gates.length > 0
}

/** Checks that the parts of a state agree with each other; used for stored states, too. */
function isConsistent(state: z.infer<typeof AgentParts>): boolean {
  if (!isRestingPosition(state)) return false
  const isGated = state.waiting === 'gate' && state.status === 'REQUIRES_USER_INPUT'
  if (isGated !== state.gates.length > 0) return false
  if (new Set(state.calls.map((call) => call.callId)).size !== state.calls.length) return false
  if ((state.turn.gateRequest !== null) !== (state.waiting === 'gate' && state.status === 'IN_PROGRESS'))
    return false
  const asked = state.gates.flatMap((gate) => (gate.kind === 'calls' ? gate.items : []))
  return (
    asked.every((item) => state.calls.some((call) => call.callId === item.callId)) &&
    state.calls.every(isBacked)
  )
}

/** Checks that a call that may run has its own record, and that an asked one has none. */
function isBacked(call: OpenCall): boolean {
  if (call.kind !== 'world') return true
  if (call.stage === 'asked') return call.record === null
  return call.record !== null && call.record.callId === call.callId && call.record.hash === call.hash
}

export function isTurnInProgress({ status, waiting }: Pick<AgentState, 'status' | 'waiting'>): boolean {
  return status === 'IN_PROGRESS' && waiting !== 'none'
}

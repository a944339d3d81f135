import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { AddedFolder } from '../app/added-folder.ts'
import { LayerTokens } from '../app/app-settings.ts'
import { ContextSource, type ModelUsage } from '../model/model-status.ts'
import { AgentCourse, CourseItem } from './agent-course.ts'
import { Todo } from './agent-plan.ts'
import { AgentMode, AgentPosition } from './agent-step.ts'
import { ReferenceAnswers } from './file-reference.ts'
import { MessageSegment } from './message-segment.ts'
import { SessionItem } from './session-item.ts'

/** A conversation in a folder, as a list shows it. */
export const Session = z.object({
  sessionId: z.string(),
  workId: z.string(),
  /** The user's title, else one made from the first message; empty as long as there is none. */
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.int(),
  /** The session that this one was branched from. */
  branchedFrom: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

/** A session of the list with its present activity. `isWaiting`: it waits for the user's answer. */
export const ListedSession = Session.extend({ isWorking: z.boolean(), isWaiting: z.boolean() })
export type ListedSession = z.infer<typeof ListedSession>

/** A message that waits for the running turn. `refusal`: why it was not sent when its turn came. */
export const QueuedMessage = z.object({
  messageId: z.string(),
  segments: z.array(MessageSegment),
  references: ReferenceAnswers.optional(),
  refusal: ErrorInfo.optional(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

/**
 * The contents of the model's context, as of the last request.
 *
 * Units: tokens. `isEstimate`: the backend cannot count. `reusedTokens`: need not be read again. `layers`
 * are always estimated; `leftOut`: entries of lists that had no room in their layer.
 */
export const ContextMeter = z.object({
  usedTokens: z.int(),
  limitTokens: z.int().nullable(),
  limitSource: ContextSource.nullable().optional(),
  isEstimate: z.boolean(),
  reusedTokens: z.int().nullable(),
  parts: z.array(
    z.object({
      kind: z.enum(['base', 'tools', 'instructions', 'summary', 'messages', 'files', 'results', 'blocks']),
      tokens: z.int(),
    }),
  ),
  layers: z.array(
    z.object({
      layer: LayerTokens.keyof(),
      usedTokens: z.int(),
      budgetTokens: z.int(),
      leftOut: z.array(
        z.object({
          item: z.enum(['contextRefs', 'decisionLog', 'openQuestions', 'planBrief']),
          count: z.int().min(1),
        }),
      ),
    }),
  ),
})
export type ContextMeter = z.infer<typeof ContextMeter>

/** The session's activity. `progress`: 0 … 1, if told; `waitMs`: until a busy server is asked again. */
export const SessionActivity = z.object({
  phase: z.enum(['queued', 'reading', 'deciding', 'writing', 'calling', 'running', 'compacting']),
  progress: z.number().nullable(),
  waitMs: z.number().optional(),
  startedAt: z.number(),
})
export type SessionActivity = z.infer<typeof SessionActivity>

/** The state of a session: everything but its items. */
export const SessionState = z.object({
  session: Session,
  position: AgentPosition,
  mode: AgentMode,
  course: AgentCourse,
  pinned: z.array(CourseItem),
  todos: z.array(Todo),
  planTitle: z.string().nullable(),
  decisionLog: z.array(z.string()),
  learnedPatterns: z.array(z.string()),
  /** Corrections made so often that the host proposes to remember them; the user decides. */
  proposedPatterns: z.array(z.string()),
  /** Gates that wait, the front one first. */
  openGates: z.array(z.string()),
  queue: z.array(QueuedMessage),
  /** True after the user stopped a turn: queued messages wait until the user sends them, or anything else. */
  isQueueHeld: z.boolean(),
  activity: SessionActivity.nullable(),
  context: ContextMeter.nullable(),
  /** The last turn failed and can be tried again as it stands. */
  canRecover: z.boolean(),
  /** The folders that the session works in besides its own. */
  folders: z.array(AddedFolder),
})
export type SessionState = z.infer<typeof SessionState>

/**
 * An event of `session.watch`: first a snapshot with the last items, then numbered events.
 *
 * `item`: a new or changed item, by `itemId`. `text`, `reasoning`, `output`: text to append to an item that is being
 * written. `cut`: the items from this turn on are gone.
 */
export const SessionEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    seq: z.int(),
    state: SessionState,
    items: z.array(SessionItem),
    hasMore: z.boolean(),
  }),
  z.object({ type: z.literal('item'), seq: z.int(), item: SessionItem }),
  z.object({ type: z.literal('text'), seq: z.int(), itemId: z.string(), text: z.string() }),
  z.object({ type: z.literal('reasoning'), seq: z.int(), itemId: z.string(), text: z.string() }),
  z.object({ type: z.literal('output'), seq: z.int(), itemId: z.string(), text: z.string() }),
  z.object({ type: z.literal('state'), seq: z.int(), state: SessionState }),
  z.object({ type: z.literal('cut'), seq: z.int(), fromTurn: z.int() }),
])
export type SessionEvent = z.infer<typeof SessionEvent>

/** Joins adjacent pieces of one item; of adjacent states returns the newer. */
export function mergeSessionEvents(older: SessionEvent, newer: SessionEvent): SessionEvent | undefined {
  if (newer.type === 'state' && older.type === 'state') return newer
  if (newer.type !== 'text' && newer.type !== 'reasoning' && newer.type !== 'output') return undefined
  if (older.type !== newer.type || older.itemId !== newer.itemId) return undefined
  return { ...newer, text: older.text + newer.text }
}

/** A place that a search found. `root` and `workName`: of its folder; `excerpt` has the words found. */
export const SessionHit = z.object({
  sessionId: z.string(),
  workId: z.string(),
  root: z.string(),
  workName: z.string(),
  title: z.string(),
  itemId: z.string(),
  turn: z.int(),
  at: z.number(),
  excerpt: z.string(),
})
export type SessionHit = z.infer<typeof SessionHit>

/** One message exactly as it was sent to the model. */
export const SentMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  kind: z.string(),
  text: z.string(),
  tokens: z.int().nullable(),
})
export type SentMessage = z.infer<typeof SentMessage>

/** The cost of a session so far. Units: tokens, ms. */
export const SessionStats = z.object({
  requests: z.int(),
  promptTokens: z.int(),
  reusedTokens: z.int(),
  completionTokens: z.int(),
  modelMs: z.number(),
  calls: z.int(),
  failedCalls: z.int(),
  changedFiles: z.int(),
  turns: z.int(),
})
export type SessionStats = z.infer<typeof SessionStats>

export const noSessionStats: SessionStats = {
  requests: 0,
  promptTokens: 0,
  reusedTokens: 0,
  completionTokens: 0,
  modelMs: 0,
  calls: 0,
  failedCalls: 0,
  changedFiles: 0,
  turns: 0,
}

/** Returns what one request adds to the statistics. */
export function requestStats({ promptTokens, reusedTokens, completionTokens, msTotal: modelMs }: ModelUsage) {
  return { requests: 1, promptTokens, reusedTokens: reusedTokens ?? 0, completionTokens, modelMs }
}

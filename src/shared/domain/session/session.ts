import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { AddedFolder } from '../app/added-folder.ts'
import { LayerTokens } from '../app/app-settings.ts'
import { ContextSource } from '../model/model-status.ts'
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
  /** The user's, else made of the first message; empty as long as there is none. */
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.int(),
  /** The session that this one was branched from. */
  branchedFrom: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

/** A session in the list with what happens in it now. `waits`: for the user's word. */
export const ListedSession = Session.extend({ isWorking: z.boolean(), isWaiting: z.boolean() })
export type ListedSession = z.infer<typeof ListedSession>

/** A message that waits for the running turn. `refusal`: its turn came, and this is why it was not sent. */
export const QueuedMessage = z.object({
  messageId: z.string(),
  segments: z.array(MessageSegment),
  references: ReferenceAnswers.optional(),
  refusal: ErrorInfo.optional(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

/**
 * What the model's context is filled with, as of the last request.
 *
 * Units: tokens. `isEstimate` where the backend cannot count. `reusedTokens`: what need not be read again. `layers`
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

/**
 * What the session is busy with. `progress`: 0 … 1 where the backend tells it; `waitMs`: the server takes no request
 * now, and is asked again after that.
 */
export const SessionActivity = z.object({
  phase: z.enum(['queued', 'reading', 'deciding', 'writing', 'calling', 'running', 'compacting']),
  progress: z.number().nullable(),
  waitMs: z.number().optional(),
  startedAt: z.number(),
})
export type SessionActivity = z.infer<typeof SessionActivity>

/** Where a session stands: everything beside its items. */
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
  /** Corrected so often that the host proposes to remember them; the user decides. */
  proposedPatterns: z.array(z.string()),
  /** Gates that wait, the front one first. */
  openGates: z.array(z.string()),
  queue: z.array(QueuedMessage),
  /** The user stopped what ran: what waits goes on waiting until they say so, or send something. */
  isQueueHeld: z.boolean(),
  activity: SessionActivity.nullable(),
  context: ContextMeter.nullable(),
  /** The last turn failed and can be tried again as it stands. */
  canRecover: z.boolean(),
  /** Where the session works besides its own folder. */
  folders: z.array(AddedFolder),
})
export type SessionState = z.infer<typeof SessionState>

/**
 * What `session.watch` sends: a snapshot with the last items first, then numbered events.
 *
 * `item`: new or changed, by `itemId`. `text`, `reasoning`, `output`: more of an item that is being written.
 * `cut`: the items from this turn on are gone.
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

/** Neighbouring pieces of one item become one; of neighbouring states only the newer counts. */
export function mergeSessionEvents(older: SessionEvent, newer: SessionEvent): SessionEvent | undefined {
  if (newer.type === 'state' && older.type === 'state') return newer
  if (newer.type !== 'text' && newer.type !== 'reasoning' && newer.type !== 'output') return undefined
  if (older.type !== newer.type || older.itemId !== newer.itemId) return undefined
  return { ...newer, text: older.text + newer.text }
}

/**
 * A place in a session that a search found.
 *
 * Shape: `root` and `workName` are those of the session's folder; `excerpt` has the words that were found in it.
 */
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

/** One message exactly as the model was sent it. */
export const SentMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  kind: z.string(),
  text: z.string(),
  tokens: z.int().nullable(),
})
export type SentMessage = z.infer<typeof SentMessage>

/** What a session has cost so far. Units: tokens, ms. */
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

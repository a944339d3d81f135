import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { FolderOffer } from '../app/added-folder.ts'
import { AttachedImage } from '../image/attached-image.ts'
import { ModelUsage } from '../model/model-status.ts'
import { TextEncoding } from '../work/text-encoding.ts'
import { AgentDecision } from './agent-decision.ts'
import { AgentFailure, AgentNotice, CallOutcome } from './agent-notice.ts'
import { KnownFile, ReferenceFailure, ReferenceTrouble } from './file-reference.ts'
import { GateView } from './gate.ts'
import { LineRange, MessageSegment } from './message-segment.ts'
import { ToolName } from './tool-name.ts'
import { ToolResultView } from './tool-result.ts'

/** `seq` orders a session's items and only grows; `turn` counts the user's messages from 1. Units: epoch ms. */
const common = {
  itemId: z.string(),
  seq: z.int(),
  turn: z.int().min(0),
  at: z.number(),
}

/** How a message was sent. `beside`: answered without tools and without changing the session's course. */
export const MessageHow = z.enum(['send', 'steer', 'beside'])
export type MessageHow = z.infer<typeof MessageHow>

const UserItem = z.object({
  ...common,
  kind: z.literal('user'),
  how: MessageHow,
  segments: z.array(MessageSegment),
  /** As the model reads it, where that differs: references that failed are named in it. */
  modelText: z.string().optional(),
  /** The model that ran this turn as a speculation before the user accepted it. */
  speculatedBy: z.string().optional(),
})

/**
 * A file or folder that the turn's message names, with its outcome; in the order in which the message names them.
 *
 * Shape: `path` and `range` as the message has them. `text` is exactly what the model was given, head line
 * included; empty where it failed. `isUnsaved`: the text was not in any file yet. `encodings` are the ones to choose
 * between; `trouble` has details of `io`. `known`: the file (by its real path), the content and the lines that this
 * is; absent where no file has it. Units: bytes of the file; lines from 1, 0: none.
 */
export const FileItem = z.object({
  ...common,
  kind: z.literal('file'),
  path: z.string(),
  range: LineRange.nullable(),
  what: z.enum(['file', 'folder']),
  state: z.enum(['ok', ...ReferenceFailure.options]),
  text: z.string(),
  sizeBytes: z.int().nullable(),
  isCut: z.boolean(),
  isUnsaved: z.boolean(),
  encodings: z.array(TextEncoding),
  trouble: ReferenceTrouble.nullable(),
  known: KnownFile.optional(),
  /** The image that the model is shown; `text` says so. */
  image: AttachedImage.optional(),
})
export type FileItem = z.infer<typeof FileItem>

/** An answer of the model. `isCut`: it ended at the limit of its length. */
export const AnswerItem = z.object({
  ...common,
  kind: z.literal('answer'),
  purpose: z.enum(['reply', 'work', 'beside']),
  state: z.enum(['writing', 'finished', 'stopped', 'failed']),
  text: z.string(),
  reasoning: z.string(),
  isCut: z.boolean(),
  usage: ModelUsage.nullable(),
  modelName: z.string(),
  isDemo: z.boolean(),
})
export type AnswerItem = z.infer<typeof AnswerItem>

/** The model's decision with its reason and next step. Folded in the window. */
const DecisionItem = z.object({
  ...common,
  kind: z.literal('decision'),
  decision: AgentDecision,
  /** `derived`: the host derived the decision from an answer that called tools or replied. */
  source: z.literal('derived').optional(),
  isRepaired: z.boolean(),
  usage: ModelUsage.nullable(),
})

/**
 * A call of a tool. `title` is its subject in one line (a path, a command, a pattern); `args` the JSON as the model
 * wrote it. `text` is the result as the model reads it, at most 16 KB, and besides it lines of a command's output that
 * the model is not given since a key is in them; while the call runs it is the output. `offer`:
 * the call was refused for a place outside of the session's folders.
 */
export const CallItem = z.object({
  ...common,
  kind: z.literal('call'),
  callId: z.string(),
  tool: ToolName.nullable(),
  /** The name as the model wrote it, also where there is no such tool. */
  name: z.string(),
  title: z.string(),
  args: z.string(),
  state: z.enum(['waiting', 'asked', 'running', 'done', 'failed', 'refused']),
  outcome: CallOutcome.nullable(),
  text: z.string(),
  view: ToolResultView.nullable(),
  offer: FolderOffer.optional(),
  /** The result of a check of the folder that the host runs. Absent for a call of the model's. */
  check: z.enum(['due', 'passed', 'known', 'unknown', 'new']).optional(),
})
export type CallItem = z.infer<typeof CallItem>

const GateItemState = z.enum(['open', 'approved', 'rejected', 'withdrawn', 'void'])

export const GateConversationItem = z.object({
  ...common,
  kind: z.literal('gate'),
  gate: GateView,
  state: GateItemState,
  /** The user's reason for a refusal. */
  reason: z.string().nullable(),
})
export type GateConversationItem = z.infer<typeof GateConversationItem>

/** The model asks the user; `options` where it named real alternatives. */
const QuestionItem = z.object({
  ...common,
  kind: z.literal('question'),
  callId: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  answer: z.string().nullable(),
  isOpen: z.boolean(),
})

const NoticeItem = z.object({ ...common, kind: z.literal('notice'), notice: AgentNotice })

/** A failure that ended the work. `failure` null: a message could not even begin. */
const ErrorItem = z.object({
  ...common,
  kind: z.literal('error'),
  failure: AgentFailure.nullable(),
  error: ErrorInfo.nullable(),
  isRetried: z.boolean(),
})

/**
 * A compaction of the conversation. `summary`: what the model continues with. `failed`: it would not have become
 * shorter.
 *
 * Units: tokens.
 */
const CompactionItem = z.object({
  ...common,
  kind: z.literal('compaction'),
  summary: z.string(),
  tokensBefore: z.int(),
  tokensAfter: z.int(),
  state: z.enum(['finished', 'failed']),
})

/** An undo of what turns did to files, or a redo of it. */
const UndoItem = z.object({
  ...common,
  kind: z.literal('undo'),
  undoneTurn: z.int(),
  files: z.array(z.string()),
  isRedo: z.boolean().optional(),
  /** The host ended during the undo, and the next host finished it. */
  isResumed: z.boolean().optional(),
  /** Files that stayed as they were, wholly or in part. */
  left: z.array(z.string()).optional(),
  /** The change sets that were to be taken back, where files stayed as they are. */
  leftOf: z.array(z.string()).optional(),
})
type UndoItem = z.infer<typeof UndoItem>
export type UndoHow = Pick<UndoItem, 'isRedo' | 'isResumed' | 'left' | 'leftOf'>

/** The user added a folder to the session, or removed one. */
const FolderItem = z.object({
  ...common,
  kind: z.literal('folder'),
  change: z.enum(['added', 'removed']),
  path: z.string(),
})

/** An item of a conversation as the window shows it; items are in the order in which they happened. */
export const SessionItem = z.discriminatedUnion('kind', [
  UserItem,
  FileItem,
  AnswerItem,
  DecisionItem,
  CallItem,
  GateConversationItem,
  QuestionItem,
  NoticeItem,
  ErrorItem,
  CompactionItem,
  UndoItem,
  FolderItem,
])
export type SessionItem = z.infer<typeof SessionItem>

import { z } from 'zod'
import { AddedFolder, FolderAssessment } from '../domain/app/added-folder.ts'
import { ModelRequest } from '../domain/model/model-request.ts'
import { CourseEdit } from '../domain/session/agent-course.ts'
import { AgentMode } from '../domain/session/agent-step.ts'
import {
  AuditEntry,
  ConsentRule,
  FolderTrust,
  NewConsentRule,
  RuleProblem,
} from '../domain/session/consent-rule.ts'
import { ReferenceAnswers } from '../domain/session/file-reference.ts'
import { GateAnswerInput, GateDiff } from '../domain/session/gate.ts'
import { isTooLong, MessageSegment } from '../domain/session/message-segment.ts'
import { SandboxStatus } from '../domain/session/sandbox.ts'
import {
  ListedSession,
  mergeSessionEvents,
  SentMessage,
  Session,
  SessionEvent,
  SessionHit,
  SessionStats,
} from '../domain/session/session.ts'
import { SessionItem } from '../domain/session/session-item.ts'
import { TurnFile, UndoChoice, UndoPreview, UndoResult } from '../domain/session/undo.ts'
import { call, stream } from './method.ts'

const InWork = z.object({ workId: z.string() })
const InSession = z.object({ sessionId: z.string() })
const Segments = z
  .array(MessageSegment)
  .min(1)
  .max(1000)
  .refine((segments) => !isTooLong(segments))

/** Errors: `session/not-found` for an unknown id. */
export const sessionContract = {
  /** Returns the commands that the folder's own files name, as candidates for checks. Runs nothing. */
  'check.proposed': call(InWork, z.object({ lines: z.array(z.string()) })),
  /** The folder's sessions, newest first; again after each change. */
  'session.watchList': stream(InWork, z.object({ sessions: z.array(ListedSession) })),
  'session.create': call(InWork, z.object({ session: Session })),
  'session.rename': call(InSession.extend({ title: z.string().trim().min(1).max(200) }), z.object({})),
  /** Deletes a session for good, with its contents; the files that it changed stay as they are. */
  'session.remove': call(InSession, z.object({})),
  /** Creates a session with everything up to and including `turn`. */
  'session.branch': call(InSession.extend({ turn: z.int().min(0) }), z.object({ session: Session })),

  /** Sends a snapshot with the last 50 items, or the events after `afterSeq`, then each event. */
  'session.watch': stream(InSession.extend({ afterSeq: z.int().min(0).optional() }), SessionEvent, {
    slowReader: 'snapshot',
    merge: mergeSessionEvents,
  }),
  /** Returns the items before the one with `seq` `before`, oldest first. */
  'session.items': call(
    InSession.extend({ before: z.int(), limit: z.int().min(1).max(200).default(50) }),
    z.object({ items: z.array(SessionItem), hasMore: z.boolean() }),
  ),

  /**
   * Sends a message. `send` waits while a turn runs; `steer` redirects the running turn; `beside` is answered
   * without tools. `gate`: the front gate that was on the screen when the message was begun; a message that is as
   * a whole a yes or a no answers it. After an error the message was not sent, and stays with the sender.
   *
   * Errors: `model/none`, `session/empty-message`; `reference/secret` with what the user must be asked about,
   * to be sent again with `references.allowSecrets`; `session/cancelled`; `speculation/asking` while an acceptance
   * waits for the user, to be sent again with `dropsSpeculation`.
   */
  'session.send': call(
    InSession.extend({
      segments: Segments,
      how: z.enum(['send', 'steer', 'beside']).default('send'),
      gate: z.object({ gateId: z.string(), sincePaintedMs: z.number() }).nullable().default(null),
      references: ReferenceAnswers.optional(),
      /** The user knows that an acceptance waits for an answer, and gives up its speculation. */
      dropsSpeculation: z.boolean().optional(),
    }),
    z.object({ became: z.enum(['message', 'queued', 'beside', 'approval', 'refusal']) }),
  ),
  'session.removeQueued': call(
    InSession.extend({ messageId: z.string() }),
    z.object({ segments: z.array(MessageSegment) }),
  ),
  /** Sends the messages that wait since a stop, one after another. */
  'session.sendQueued': call(InSession, z.object({})),
  /** Ends the running turn; the partial text stays, and queued messages stay queued. */
  'session.stop': call(InSession, z.object({})),
  /** Tries again after a failure that waits for the user. */
  'session.recover': call(InSession, z.object({})),
  /** *Reset course*: back to PLANNING with an empty course; the conversation stays. */
  'session.reset': call(InSession, z.object({})),
  /**
   * Removes the turn's answers and sends its message again; with `segments`, that message instead. The files
   * that it names are read again.
   *
   * Errors: as `session.send`; `speculation/accepting` while a speculation is being accepted. Nothing was removed then.
   */
  'session.resend': call(
    InSession.extend({
      turn: z.int().min(1),
      segments: Segments.optional(),
      references: ReferenceAnswers.optional(),
    }),
    z.object({}),
  ),
  /** Leaves plan mode for the mode before it and carries the plan out; does nothing in another mode. */
  'session.carryOut': call(InSession, z.object({})),
  'session.setMode': call(InSession.extend({ mode: AgentMode }), z.object({})),
  'session.editCourse': call(InSession.extend({ edit: CourseEdit }), z.object({})),
  /**
   * Files that the answer names go with it, as with a message.
   *
   * Errors: `session/empty-message`, `reference/secret`, `session/cancelled`; `session/question-closed` where the
   * question is not asked any more: nothing of the answer is kept then.
   */
  'session.answerQuestion': call(
    InSession.extend({
      callId: z.string(),
      segments: Segments,
      references: ReferenceAnswers.optional(),
    }),
    z.object({}),
  ),
  'session.compact': call(InSession, z.object({})),

  /** Errors: `gate/not-open`, `gate/too-early` where the answer began before the gate could be read. */
  'gate.answer': call(InSession.extend({ answer: GateAnswerInput }), z.object({})),
  'gate.diff': call(InSession.extend({ gateId: z.string(), callId: z.string(), path: z.string() }), GateDiff),

  /** The files that a turn has changed, each once, also after the turn was taken back. */
  'session.turnFiles': call(
    InSession.extend({ turn: z.int().min(1) }),
    z.object({ files: z.array(TurnFile) }),
  ),
  /**
   * A file that an acceptance or an undo left alone: as it is now, and as it would have been written. Shape: `itemId`
   * is the item that names it; null: no such file. Errors: `file/not-found` where it is not kept any more,
   * `file/not-text`.
   */
  'session.leftFile': call(
    InSession.extend({ itemId: z.string(), path: z.string() }),
    z.object({ current: z.string().nullable(), wanted: z.string().nullable() }),
  ),
  'session.undoPreview': call(InSession.extend({ turn: z.int().min(1) }), UndoPreview),
  /**
   * Undoes what happened from `turn` on. The user's own edits since then stay; where the assistant and the user changed
   * the same lines, `choices` decide, and a place without a choice stays as it is.
   *
   * Errors: `speculation/accepting` while a speculation is being accepted.
   */
  'session.undo': call(
    InSession.extend({
      turn: z.int().min(1),
      what: z.enum(['files', 'conversation', 'both']),
      choices: z.array(UndoChoice).max(10_000).default([]),
    }),
    UndoResult,
  ),
  /** Previews taking back the last undo of files. Errors: `session/no-undo` where there is none. */
  'session.redoPreview': call(InSession, UndoPreview),
  /** Takes back the last undo of files only. Errors: `session/no-undo`, `speculation/accepting`. */
  'session.redo': call(
    InSession.extend({ choices: z.array(UndoChoice).max(10_000).default([]) }),
    UndoResult,
  ),

  /** Searches all known folders; hits in `workId` come first. */
  'session.search': call(
    z.object({ query: z.string().min(1).max(1000), workId: z.string().optional() }),
    z.object({ hits: z.array(SessionHit) }),
  ),
  'session.export': call(InSession, z.object({ markdown: z.string(), fileName: z.string() })),
  /** Returns the last prompt that the model was sent, message by message. */
  'session.context': call(InSession, z.object({ messages: z.array(SentMessage) })),
  'session.stats': call(InSession, SessionStats),
  /** The last requests to models, newest first: 200 at most, of this host's run; those in the background too. */
  'session.requests': call(InSession, z.object({ requests: z.array(ModelRequest) })),
  /** Newest first. */
  'session.audit': call(
    InSession.extend({ before: z.int().optional(), limit: z.int().min(1).max(200).default(100) }),
    z.object({ entries: z.array(AuditEntry), hasMore: z.boolean() }),
  ),

  /**
   * Checks whether a folder can be added to the session: `path` as it was typed, relative to the session's folder, or
   * under `~`. For a file, its folder is meant; `problem` says why the folder cannot be added.
   */
  'session.assessFolder': call(InSession.extend({ path: z.string().min(1).max(4096) }), FolderAssessment),
  /**
   * Lets the session work in this folder too; the next request tells the model. `isTrusted` null keeps the trust that
   * the user gave the folder before. `path` as `session.assessFolder` gave it.
   *
   * Errors: `folder/refused`.
   */
  'session.addFolder': call(
    InSession.extend({ path: z.string().min(1).max(4096), isTrusted: z.boolean().nullable().default(null) }),
    z.object({ folder: AddedFolder }),
  ),
  /** Withdraws open gates about the folder. Errors: `folder/not-added`. */
  'session.removeFolder': call(InSession.extend({ path: z.string() }), z.object({})),
  /** Errors: `folder/not-added`. */
  'session.trustFolder': call(InSession.extend({ path: z.string(), isTrusted: z.boolean() }), z.object({})),

  /** *Apply to file*: the present content of the file, to compare before it is written. */
  'session.previewApply': call(
    InWork.extend({ path: z.string() }),
    z.object({ text: z.string().nullable(), hash: z.string().nullable() }),
  ),
  /** Errors: `file/changed` where the file has changed since the comparison. */
  'session.applyText': call(
    InWork.extend({ path: z.string(), hash: z.string().nullable(), text: z.string().max(5_000_000) }),
    z.object({ undoId: z.string() }),
  ),

  'trust.watch': stream(InWork, FolderTrust),
  'trust.set': call(InWork.extend({ isTrusted: z.boolean() }), z.object({})),
  /** Whether commands of the folder run in a copy, and whether they can here. `isTriedAgain`: the trial is repeated. */
  'sandbox.get': call(
    InWork.extend({ isTriedAgain: z.boolean().default(false) }),
    z.object({ status: SandboxStatus, isOn: z.boolean() }),
  ),
  'sandbox.set': call(InWork.extend({ isOn: z.boolean() }), z.object({})),
  /** Returns all folders in which commands run in a copy. Shape: absolute paths. */
  'sandbox.folders': call(z.object({}), z.object({ folders: z.array(z.string()) })),
  'sandbox.turnOff': call(z.object({ folder: z.string() }), z.object({})),
  /** Returns the rules for the folder and the session, and the problems of the rules that the project brings. */
  'rule.list': call(
    z.object({ workId: z.string(), sessionId: z.string().optional() }),
    z.object({ rules: z.array(ConsentRule), problems: z.array(RuleProblem) }),
  ),
  /** Sends the problems of the project's rules whenever these rules change, which also changes `rule.list`. */
  'rule.watch': stream(InWork, z.object({ problems: z.array(RuleProblem) })),
  'rule.save': call(InWork.extend({ rule: NewConsentRule }), z.object({ rule: ConsentRule })),
  'rule.remove': call(
    z.object({ workId: z.string(), ruleId: z.string(), sessionId: z.string().optional() }),
    z.object({}),
  ),
}

import type { Api } from '../../shared/contract/index.ts'
import type { sessionContract } from '../../shared/contract/session.ts'
import type { AuditEntry } from '../../shared/domain/audit-entry.ts'
import type { RuleService } from '../gates/rules/rule-service.ts'
import type { TrustService } from '../gates/trust-service.ts'
import { exportSession } from '../sessions/session-export.ts'
import type { SessionService } from '../sessions/session-service.ts'
import type { UnsentMessages } from '../sessions/unsent-messages.ts'
import type { AppliedTexts } from '../tools/edits/applied-texts.ts'

/** Sessions, their gates, what was consented to. */
export function createSessionApi(parts: {
  sessions: SessionService
  trust: TrustService
  rules: RuleService
  /** Errors: `work/not-open`. */
  rootOf(workId: string): string
  texts: AppliedTexts
  unsent: Pick<UnsentMessages, 'sent'>
  audit(query: { sessionId: string; before?: number | undefined; limit: number }): {
    entries: AuditEntry[]
    hasMore: boolean
  }
  language(): 'ja' | 'en'
}): Pick<Api, keyof typeof sessionContract> {
  const { sessions, trust, rules, rootOf, texts, unsent } = parts
  const done = async (work: Promise<unknown>): Promise<Record<string, never>> => {
    await work
    return {}
  }
  return {
    'session.watchList': ({ workId }, { signal }) => sessions.watchList(workId, signal),
    'session.create': async ({ workId }) => ({ session: sessions.create(workId) }),
    'session.rename': ({ sessionId, title }) => done(sessions.rename(sessionId, title)),
    'session.remove': ({ sessionId }) => done(sessions.remove(sessionId)),
    'session.branch': async ({ sessionId, turn }) => ({ session: await sessions.branch(sessionId, turn) }),
    'session.watch': ({ sessionId, afterSeq }, { signal }) => sessions.watch(sessionId, afterSeq, signal),
    'session.items': ({ sessionId, before, limit }) => sessions.items(sessionId, { before, limit }),
    async 'session.send'({ sessionId, ...message }, { signal }) {
      const became = await sessions.send(sessionId, message, signal)
      unsent.sent(sessionId, message.segments)
      return { became }
    },
    'session.removeQueued': async ({ sessionId, messageId }) => ({
      segments: await sessions.removeQueued(sessionId, messageId),
    }),
    'session.sendQueued': ({ sessionId }) => done(sessions.sendQueued(sessionId)),
    'session.stop': ({ sessionId }) => done(sessions.stop(sessionId)),
    'session.recover': ({ sessionId }) => done(sessions.recover(sessionId)),
    'session.reset': ({ sessionId }) => done(sessions.reset(sessionId)),
    async 'session.resend'({ sessionId, turn, ...message }, { signal }) {
      await sessions.resend(sessionId, turn, message, signal)
      if (message.segments !== undefined) unsent.sent(sessionId, message.segments)
      return {}
    },
    'session.carryOut': ({ sessionId }) => done(sessions.carryOut(sessionId)),
    'session.setMode': ({ sessionId, mode }) => done(sessions.setMode(sessionId, mode)),
    'session.editCourse': ({ sessionId, edit }) => done(sessions.editCourse(sessionId, edit)),
    async 'session.answerQuestion'({ sessionId, ...answer }, { signal }) {
      await sessions.answerQuestion(sessionId, answer, signal)
      unsent.sent(sessionId, answer.segments)
      return {}
    },
    'session.compact': ({ sessionId }) => done(sessions.compact(sessionId)),
    'session.assessFolder': ({ sessionId, path }) => sessions.assessFolder(sessionId, path),
    'session.addFolder': async ({ sessionId, path, isTrusted }) => ({
      folder: await sessions.addFolder(sessionId, path, isTrusted),
    }),
    'session.removeFolder': ({ sessionId, path }) => done(sessions.removeFolder(sessionId, path)),
    'session.trustFolder': ({ sessionId, path, isTrusted }) =>
      done(sessions.trustFolder(sessionId, path, isTrusted)),
    'gate.answer': ({ sessionId, answer }) => done(sessions.answerGate(sessionId, answer)),
    'gate.diff': ({ sessionId, gateId, callId, path }) => sessions.gateDiff(sessionId, gateId, callId, path),
    'session.undoPreview': ({ sessionId, turn }) => sessions.undoPreview(sessionId, turn),
    'session.undo': ({ sessionId, turn, what, choices }) => sessions.undo(sessionId, turn, what, choices),
    'session.redoPreview': ({ sessionId }) => sessions.redoPreview(sessionId),
    'session.redo': ({ sessionId, choices }) => sessions.redo(sessionId, choices),
    'session.search': async ({ query, workId }) => ({ hits: sessions.search(query, workId) }),
    'session.export': async ({ sessionId }) => {
      const { session, items } = await sessions.all(sessionId)
      return exportSession(session, items, parts.language())
    },
    'session.context': async ({ sessionId }) => ({ messages: await sessions.context(sessionId) }),
    'session.stats': ({ sessionId }) => sessions.stats(sessionId),
    'session.requests': async ({ sessionId }) => ({ requests: sessions.requests(sessionId) }),
    'session.audit': async (query) => parts.audit(query),
    'session.previewApply': ({ workId, path }) => texts.now(workId, path),
    'session.applyText': ({ workId, ...text }) => texts.apply(workId, text),

    'trust.watch': ({ workId }, { signal }) => trust.watch(rootOf(workId), signal),
    'trust.set': async ({ workId, isTrusted }) => {
      trust.set(rootOf(workId), isTrusted)
      return {}
    },
    async 'rule.list'({ workId, sessionId }) {
      const root = rootOf(workId)
      return { rules: await rules.list(root, sessionId), problems: await rules.problems(root) }
    },
    async *'rule.watch'({ workId }, { signal }) {
      for await (const problems of rules.watch(rootOf(workId), signal)) yield { problems }
    },
    'rule.save': async ({ workId, rule }) => ({ rule: rules.saveForFolder(rootOf(workId), rule) }),
    'rule.remove': async ({ workId, ruleId, sessionId }) => {
      rules.remove(rootOf(workId), ruleId, sessionId)
      return {}
    },
  }
}

import type { Api } from '../../shared/contract/index.ts'
import type { sessionContract } from '../../shared/contract/session.ts'
import type { AuditEntry } from '../../shared/domain/session/audit-entry.ts'
import type { RuleService } from '../gates/rules/rule-service.ts'
import type { TrustService } from '../gates/trust-service.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { SessionService } from '../sessions/session-service.ts'
import type { bindSessionVerbs } from '../sessions/session-verbs.ts'
import type { AppliedTexts } from '../tools/edits/applied-texts.ts'

/** Creates the API of sessions, their gates and decision records. */
export function createSessionApi(parts: {
  sessions: SessionService
  verbs: ReturnType<typeof bindSessionVerbs>
  trust: TrustService
  sandbox: Pick<CommandSandbox, 'status' | 'recheck' | 'isOn' | 'folders' | 'setOn'>
  rules: RuleService
  /** Errors: `work/not-open`. */
  rootOf(workId: string): string
  texts: AppliedTexts
  proposedChecks(workId: string): Promise<string[]>
  audit(query: { sessionId: string; before?: number | undefined; limit: number }): {
    entries: AuditEntry[]
    hasMore: boolean
  }
}): Pick<Api, keyof typeof sessionContract> {
  const { sessions, trust, sandbox, rules, rootOf, texts } = parts
  return {
    ...parts.verbs,
    'check.proposed': async ({ workId }) => ({ lines: await parts.proposedChecks(workId) }),
    'session.watchList': ({ workId }, { signal }) => sessions.watchList(workId, signal),
    'session.create': async ({ workId }) => ({ session: sessions.create(workId) }),
    'session.remove': async ({ sessionId }) => {
      await sessions.remove(sessionId)
      return {}
    },
    'session.watch': ({ sessionId, afterSeq }, { signal }) => sessions.watch(sessionId, afterSeq, signal),
    'session.search': async ({ query, workId }) => ({ hits: sessions.search(query, workId) }),
    'session.requests': async ({ sessionId }) => ({ requests: sessions.requests(sessionId) }),
    'session.audit': async (query) => parts.audit(query),
    'session.previewApply': ({ workId, path }) => texts.now(workId, path),
    'session.applyText': ({ workId, ...text }) => texts.apply(workId, text),

    'trust.watch': ({ workId }, { signal }) => trust.watch(rootOf(workId), signal),
    'trust.set': async ({ workId, isTrusted }) => {
      trust.set(rootOf(workId), isTrusted)
      return {}
    },
    async 'sandbox.get'({ workId, isTriedAgain }) {
      const status = await (isTriedAgain ? sandbox.recheck() : sandbox.status())
      return { status, isOn: sandbox.isOn(rootOf(workId)) }
    },
    'sandbox.set': async ({ workId, isOn }) => {
      sandbox.setOn(rootOf(workId), isOn)
      return {}
    },
    'sandbox.folders': async () => ({ folders: sandbox.folders() }),
    'sandbox.turnOff': async ({ folder }) => {
      sandbox.setOn(folder, false)
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

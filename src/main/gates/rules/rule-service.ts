import {
  type ConsentRule,
  type NewRule,
  type RuleProblem,
  sameRules,
} from '../../../shared/domain/session/consent-rule.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Log, Random } from '../../deps.ts'
import { readInside } from '../../platform/files/real-path.ts'
import type { ConsentRuleRepository } from '../../store/sessions/consent-rule-repository.ts'
import {
  type ProjectRules,
  projectRulesChanges,
  projectRulesPath,
  type RulesWatchDeps,
  readProjectRules,
  unreadableRules,
} from './project-rules.ts'

const limitBytes = 1_000_000

export type RuleService = ReturnType<typeof createRuleService>

/** Creates the service that keeps the consent rules of folders, by their real paths, and of sessions. */
export function createRuleService(
  deps: RulesWatchDeps & { log: Log; random: Random; repository: ConsentRuleRepository },
) {
  const { disk, log, random, repository } = deps
  const sessions = new Map<string, ConsentRule[]>()
  const folderConsents = new Map<string, Set<string>>()
  const listeners = new Set<(sessionId: string, rules: ConsentRule[]) => void>()
  const setOfSession = (sessionId: string, rules: ConsentRule[]): void => {
    sessions.set(sessionId, rules)
    for (const listener of [...listeners]) listener(sessionId, [...rules])
  }
  const ofSession = (sessionId: string | undefined): ConsentRule[] => sessions.get(sessionId ?? '') ?? []
  const ofProject = async (root: string): Promise<ProjectRules> => {
    try {
      const file = await readInside(disk, root, projectRulesPath, limitBytes)
      if (file === null) return { rules: [], problems: [] }
      return readProjectRules(file.bytes.toString('utf8').replace(/^\uFEFF/, ''))
    } catch (error) {
      log.write('warn', 'rules.unreadable', { code: isAppError(error) ? error.info.code : String(error) })
      if (isAppError(error, 'file/too-large')) return unreadableRules('too-large')
      return unreadableRules(isAppError(error, 'file/outside') ? 'outside' : 'failed')
    }
  }
  return {
    /** Returns all rules that apply: the session's, the folder's, the project's own. */
    async list(root: string, sessionId?: string): Promise<ConsentRule[]> {
      const project = await ofProject(root)
      return [...ofSession(sessionId), ...repository.list(root), ...project.rules]
    },
    /** Returns why rules of the project's file do not apply. */
    problems: async (root: string): Promise<RuleProblem[]> => (await ofProject(root)).problems,
    /** Yields the same problems now and at each change of what that file says, until the signal. */
    async *watch(root: string, signal: AbortSignal): AsyncGenerator<RuleProblem[], void, void> {
      let told: string | null = null
      for await (const _ of projectRulesChanges(deps, root, signal)) {
        const project = await ofProject(root)
        const text = JSON.stringify(project)
        if (text === told) continue
        told = text
        yield project.problems
      }
    },
    saveForFolder: (root: string, rule: NewRule): ConsentRule => repository.add(root, rule),
    saveForSession(sessionId: string, made: NewRule): ConsentRule {
      const known = ofSession(sessionId)
      const { twin, outdated } = sameRules(known, made)
      if (twin !== undefined) return twin
      const rule: ConsentRule = { ...made, ruleId: random.id(), scope: 'session' }
      setOfSession(sessionId, [...known.filter((one) => !outdated.includes(one)), rule])
      return rule
    },
    /** Removes a rule. One of the project's own file stays: it can only be changed there. */
    remove(root: string, ruleId: string, sessionId?: string): void {
      repository.remove(root, ruleId)
      if (sessionId === undefined) return
      setOfSession(
        sessionId,
        ofSession(sessionId).filter((rule) => rule.ruleId !== ruleId),
      )
    },
    sessionRules: (sessionId: string): ConsentRule[] => [...ofSession(sessionId)],
    /** Reports all rules of a session after each change; the listener stores them with it. Returns the unsubscriber. */
    onSessionRules(listener: (sessionId: string, rules: ConsentRule[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Sets the rules that were stored with a session when it is opened again. */
    setSessionRules(sessionId: string, rules: readonly ConsentRule[]): void {
      sessions.set(sessionId, [...rules])
    },
    /**
     * Notes that the user agreed to a command's changes in an ignored folder. It counts for further changes of commands
     * there, never for calls of tools, until the host ends.
     */
    noteFolderConsent(sessionId: string, top: string): void {
      folderConsents.set(sessionId, (folderConsents.get(sessionId) ?? new Set()).add(top))
    },
    hasFolderConsent: (sessionId: string, top: string): boolean =>
      folderConsents.get(sessionId)?.has(top) === true,
  }
}

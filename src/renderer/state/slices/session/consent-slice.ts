import type {
  AuditEntry,
  ConsentRule,
  FolderTrust,
  NewConsentRule,
  RuleProblem,
} from '../../../../shared/domain/session/consent-rule.ts'
import type { SandboxStatus } from '../../../../shared/domain/session/sandbox.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf, tried } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** The permissions in the open folder: its trust, and the user's rules. */
export function createConsentSlice(context: SliceContext) {
  const { client, get, patch, follow } = context
  let stop: (() => void) | undefined
  let followed: string | null = null

  const attempt = async (task: (workId: string) => Promise<unknown>): Promise<boolean> => {
    const workId = get().work.current?.workId
    return workId !== undefined && tried(patch, 'consent', () => task(workId))
  }
  const inSession = () => {
    const sessionId = get().conversation.current?.sessionId
    return sessionId === undefined ? {} : { sessionId }
  }
  const loadAllSandbox = () => Promise.all([get().consent.loadSandbox(), get().consent.loadSandboxFolders()])

  return {
    /** Null until the host has said it. */
    trust: null as FolderTrust | null,
    /** Null until they were asked for. */
    rules: null as ConsentRule[] | null,
    problems: [] as RuleProblem[],
    /** Whether commands run in a copy of the folder; null until it was asked for. */
    sandbox: null as { status: SandboxStatus; isOn: boolean } | null,
    /** All folders in which commands run in a copy; null until they were asked for. */
    sandboxFolders: null as string[] | null,
    error: null as ErrorInfo | null,

    follow(workId: string | null) {
      stop?.()
      stop = undefined
      // After a reconnect the known state stays until the host reports it anew.
      if (workId !== followed)
        patch('consent', { trust: null, rules: null, problems: [], sandbox: null, error: null })
      followed = workId
      if (workId === null) return
      const failed = (error: unknown): void => patch('consent', { error: infoOf(error) })
      const stopTrust = follow(
        (signal) => client['trust.watch']({ workId }, { signal }),
        (trust) => patch('consent', { trust }),
        failed,
      )
      // The project's own file may change at any time, by any hand.
      const stopRules = follow(
        (signal) => client['rule.watch']({ workId }, { signal }),
        ({ problems }) => {
          patch('consent', { problems })
          void get().consent.loadRules()
        },
        failed,
      )
      stop = () => {
        stopTrust()
        stopRules()
      }
    },
    setTrusted: (isTrusted: boolean) => attempt((workId) => client['trust.set']({ workId, isTrusted })),
    async loadRules() {
      await attempt(async (workId) => {
        const { rules, problems } = await client['rule.list']({ workId, ...inSession() })
        if (workId === followed) patch('consent', { rules, problems })
      })
    },
    async saveRule(rule: NewConsentRule) {
      const isSaved = await attempt((workId) => client['rule.save']({ workId, rule }))
      if (isSaved) await get().consent.loadRules()
      return isSaved
    },
    /** `isTriedAgain`: finds out anew whether this machine can run commands in a copy. */
    async loadSandbox(isTriedAgain = false) {
      await attempt(async (workId) => {
        const sandbox = await client['sandbox.get']({ workId, isTriedAgain })
        if (workId === followed) patch('consent', { sandbox })
      })
    },
    async setSandboxed(isOn: boolean) {
      if (await attempt((workId) => client['sandbox.set']({ workId, isOn }))) await loadAllSandbox()
    },
    async loadSandboxFolders() {
      await tried(patch, 'consent', async () => {
        patch('consent', { sandboxFolders: (await client['sandbox.folders']({})).folders })
      })
    },
    async turnOffSandboxIn(folder: string) {
      if (await tried(patch, 'consent', () => client['sandbox.turnOff']({ folder }))) await loadAllSandbox()
    },
    async removeRule(ruleId: string) {
      const isRemoved = await attempt((workId) => client['rule.remove']({ workId, ruleId, ...inSession() }))
      if (isRemoved) await get().consent.loadRules()
    },
  }
}

const pageLength = 100

const initial = {
  /** Null until they were asked for. */
  entries: null as AuditEntry[] | null,
  hasMore: false,
  isLoading: false,
  error: null as ErrorInfo | null,
}

/** The decisions about the calls of the open session, newest first. */
export function createAuditSlice(context: SliceContext) {
  const { client, get, patch } = context
  let asked = 0

  const page = async (before: number | undefined) => {
    const sessionId = get().conversation.current?.sessionId
    if (sessionId === undefined) return
    const mine = ++asked
    patch('audit', { isLoading: true, error: null })
    try {
      const answer = await client['session.audit']({
        sessionId,
        limit: pageLength,
        ...(before === undefined ? {} : { before }),
      })
      if (mine !== asked) return
      const { entries, hasMore } = get().audit
      if (before !== undefined) {
        patch('audit', { entries: [...(entries ?? []), ...answer.entries], hasMore: answer.hasMore })
      } else {
        const last = answer.entries.at(-1)?.seq ?? 0
        const isJoined = entries?.some((entry) => entry.seq === last) ?? false
        const older = isJoined ? (entries ?? []).filter((entry) => entry.seq < last) : []
        patch('audit', {
          entries: [...answer.entries, ...older],
          hasMore: isJoined ? hasMore : answer.hasMore,
        })
      }
    } catch (error) {
      if (mine === asked) patch('audit', { error: infoOf(error) })
    } finally {
      if (mine === asked) patch('audit', { isLoading: false })
    }
  }

  return {
    ...initial,

    /** The newest ones; older ones that are loaded stay where these join them. */
    load: () => page(undefined),
    loadMore: () => page(get().audit.entries?.at(-1)?.seq),
    clear() {
      asked += 1
      patch('audit', initial)
    },
  }
}

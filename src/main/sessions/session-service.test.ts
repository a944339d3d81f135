import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { silentLog } from '../../../tests/fakes/silent-log.ts'
import { newAgentState } from '../../shared/domain/session/agent-state.ts'
import type { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import { AppError } from '../../shared/errors.ts'
import { createSessionApi } from '../api/session-api.ts'
import { createRuleService } from '../gates/rules/rule-service.ts'
import { systemRandom } from '../platform/random.ts'
import { openDatabase } from '../store/database/database.ts'
import { createSessionRepository } from '../store/sessions/session-repository.ts'
import { createSessionHost, type SessionHostDeps } from './session-host.ts'
import { createSessionService, type SessionServiceDeps } from './session-service.ts'

const workId = 'work'
const endings: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** The service over a real store; nothing in it is ever played. */
async function rig() {
  const folder = await mkdtemp(join(tmpdir(), 'tsugi-sessions-'))
  endings.push(() => rm(folder, { recursive: true, force: true }))
  const db = openDatabase(join(folder, 'tsugi.db'))
  endings.push(() => void db.close())
  db.prepare("INSERT INTO works (id, root, name, opened_at) VALUES (?, '/work', 'work', 0)").run(workId)
  const clock = manualClock()
  const repository = createSessionRepository(db)
  const runner = { isBusy: false, close: async () => undefined, keepHeld: () => undefined }
  const rules = createRuleService({
    random: systemRandom,
    repository: { remove: () => undefined },
  } as unknown as Parameters<typeof createRuleService>[0])
  const { setSessionRules } = rules
  const gates = { onVoid: () => () => undefined, withdraw: () => undefined, setSessionRules }
  const asking = new Set<string>()
  const deps = {
    clock,
    random: systemRandom,
    log: silentLog,
    repository,
    gates,
    rules,
    openFolder: async () => ({}),
    folders: { restore: () => undefined },
    finishUndo: async () => undefined,
    undo: { unfinished: () => [], forget: () => undefined },
    rootOf: () => '/work',
    play: () => ({ runner }),
    language: () => 'ja',
    memory: { get: () => undefined, set: () => undefined },
    requests: { of: () => [], forget: () => undefined },
    trust: { onChange: () => () => undefined },
    commands: { stopOwned: async () => undefined },
    sandbox: { dropOf: async () => undefined },
    speculations: {
      known: (sessionId: string) => ({ leave: async () => undefined, isAsking: asking.has(sessionId) }),
    },
  }
  const host = createSessionHost(deps as unknown as SessionHostDeps)
  const service = createSessionService({ ...deps, host } as unknown as SessionServiceDeps)
  const listed = async () => {
    for await (const { sessions } of service.watchList(workId, new AbortController().signal)) return sessions
    return []
  }
  const parts = { ...deps, sessions: service }
  const api = createSessionApi(parts as unknown as Parameters<typeof createSessionApi>[0])
  return { service, host, repository, clock, listed, asking, api, rules }
}

describe('sessions', () => {
  it('stay in memory while the disk has no room for what was said in them', async () => {
    const { service, host, repository, clock } = await rig()
    const { sessionId } = service.create(workId)
    const full = (): never => {
      throw new AppError({ code: 'file/disk-full', path: '' })
    }
    const spies = [
      vi.spyOn(repository, 'save').mockImplementation(full),
      vi.spyOn(repository, 'saveItem').mockImplementation(full),
    ]
    const segments = [{ kind: 'text' as const, text: 'not to be lost' }]
    await host.use(sessionId, async ({ session }) => {
      session.add({ kind: 'user', how: 'send', segments })
      session.appendEntries([{ turn: 0, role: 'user', kind: 'message', text: 'not to be lost' }])
    })
    await clock.advance(100_000)
    expect(host.known(sessionId)).toBeDefined()
    for (const spy of spies) spy.mockRestore()
    await clock.advance(100_000)
    expect(host.known(sessionId)).toBeUndefined()
    expect(repository.allItems(sessionId)).toMatchObject([{ kind: 'user', segments }])
    expect(repository.entries(sessionId, 0)).toMatchObject([{ text: 'not to be lost' }])
  })

  it('that could not be opened are not in memory, and are opened at the next attempt', async () => {
    const { service, host, repository } = await rig()
    const { sessionId } = service.create(workId)
    const full = new AppError({ code: 'file/disk-full', path: '' })
    const spy = vi.spyOn(repository, 'backgroundCalls').mockImplementation(() => {
      throw full
    })
    await expect(host.use(sessionId, async () => undefined)).rejects.toThrow(full)
    expect(host.all()).toEqual([])
    spy.mockRestore()
    expect(await host.use(sessionId, async ({ session }) => session.sessionId)).toBe(sessionId)
  })

  it('that are removed while a window shows them leave nothing behind that would keep the host', async () => {
    const { service, clock } = await rig()
    const { sessionId } = service.create(workId)
    const shown: unknown[] = []
    const ended = (async () => {
      for await (const event of service.watch(sessionId, undefined, new AbortController().signal))
        shown.push(event)
    })()
    await expect.poll(() => shown).toHaveLength(1)
    await service.remove(sessionId)
    await ended
    // The list is notified after a short delay, and no timer is left after that.
    await clock.advance(50)
    expect(clock.pending).toBe(0)
  })

  it('that an earlier host left with a question open say that they wait', async () => {
    const { service, repository, listed } = await rig()
    const { sessionId } = service.create(workId)
    service.create(workId)
    const record = repository.get(sessionId)
    repository.save({ ...record, state: { ...newAgentState(), waiting: 'answer' } })
    const waiting = (await listed()).filter(({ isWaiting }) => isWaiting)
    expect(waiting.map((session) => session.sessionId)).toEqual([sessionId])
  })

  it('whose acceptance of a speculation asks say that they wait', async () => {
    const { service, listed, asking } = await rig()
    const { sessionId } = service.create(workId)
    expect(await listed()).toMatchObject([{ isWaiting: false }])
    asking.add(sessionId)
    expect(await listed()).toMatchObject([{ isWaiting: true }])
  })

  it('keep a rule that any answer has made: a typed one, or one to a speculation', async () => {
    const { service, repository, rules } = await rig()
    const { sessionId } = service.create(workId)
    const { signal } = new AbortController()
    for await (const _ of service.watch(sessionId, undefined, signal)) {
      rules.saveForSession(sessionId, { effect: 'allow', tool: 'write_file', pattern: 'build/**' })
      break
    }
    expect(repository.get(sessionId).rules).toMatchObject([{ pattern: 'build/**', scope: 'session' }])
  })

  it('do not get a rule back that the user has removed', async () => {
    const { service, repository, api } = await rig()
    const { sessionId } = service.create(workId)
    const ruleOf = (ruleId: string): ConsentRule => {
      return { ruleId, effect: 'allow', tool: 'run_command', pattern: `${ruleId} *`, scope: 'session' }
    }
    repository.save({ ...repository.get(sessionId), rules: [ruleOf('rm'), ruleOf('ls')] })
    const context = { signal: new AbortController().signal }
    for await (const _ of service.watch(sessionId, undefined, context.signal)) {
      await api['rule.remove']({ workId, ruleId: 'rm', sessionId }, context)
      break
    }
    expect(repository.get(sessionId).rules).toEqual([ruleOf('ls')])
  })
})

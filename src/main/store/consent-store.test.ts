import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { openWholeStore } from '../../../tests/fakes/disks/test-store.ts'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import type { AuditEntry } from '../../shared/domain/session/consent-rule.ts'
import { systemRandom } from '../platform/random.ts'

function opened(path = join(tempFolder(), 'tsugi.db')) {
  return { path, store: openWholeStore(path, { clock: manualClock(), random: systemRandom }) }
}

const entry: Omit<AuditEntry, 'seq'> = {
  at: 5,
  sessionId: 's1',
  tool: 'run_command',
  subject: 'npm test',
  risk: 'medium',
  verdict: 'approved',
  record: { callId: 'c1', by: 'user', name: null, hash: 'abc' },
  reason: null,
}

describe('audit entries', () => {
  it('come newest first, page by page, and only of the session', () => {
    const { store } = opened()
    const subjects = ['a', 'b', 'c', 'd']
    for (const subject of subjects) store.audit.add({ ...entry, subject })
    store.audit.add({ ...entry, sessionId: 'other' })
    const first = store.audit.list('s1', { limit: 3 })
    expect(first.entries.map(({ subject }) => subject)).toEqual(['d', 'c', 'b'])
    expect(first.hasMore).toBe(true)
    const before = first.entries.at(-1)?.seq ?? 0
    const rest = store.audit.list('s1', { before, limit: 3 })
    expect(rest.entries.map(({ subject }) => subject)).toEqual(['a'])
    expect(rest.hasMore).toBe(false)
    store.close()
  })

  it('are there as they were after the next start', () => {
    const { path, store } = opened()
    const added = store.audit.add(entry)
    store.close()
    const { store: again } = opened(path)
    expect(again.audit.list('s1', { limit: 10 }).entries).toEqual([added])
    expect(added).toEqual({ ...entry, seq: added.seq })
    again.close()
  })
})

describe('rules of a folder', () => {
  it('belong to it alone, once each, until they are removed', () => {
    const { path, store } = opened()
    const rule = store.consentRules.add('/a', { effect: 'allow', tool: 'run_command', pattern: 'npm test' })
    const twin = store.consentRules.add('/a', { effect: 'allow', tool: 'run_command', pattern: 'npm test' })
    const deny = store.consentRules.add('/a', { effect: 'deny', tool: null, pattern: 'secret/**' })
    expect(twin).toEqual(rule)
    store.close()
    const { store: again } = opened(path)
    expect(again.consentRules.list('/a')).toEqual([rule, deny])
    expect(again.consentRules.list('/b')).toEqual([])
    expect(again.consentRules.remove('/b', rule.ruleId)).toBe(false)
    expect(again.consentRules.remove('/a', rule.ruleId)).toBe(true)
    expect(again.consentRules.list('/a')).toEqual([deny])
    again.close()
  })
})

describe('the trust in a folder', () => {
  it('is none and not asked about, then what the user said last', () => {
    const { path, store } = opened()
    expect(store.folderTrust.get('/a')).toEqual({ isTrusted: false, isAsked: false })
    store.folderTrust.set('/a', true, 1)
    store.folderTrust.set('/b', false, 1)
    store.close()
    const { store: again } = opened(path)
    expect(again.folderTrust.get('/a')).toEqual({ isTrusted: true, isAsked: true })
    expect(again.folderTrust.get('/b')).toEqual({ isTrusted: false, isAsked: true })
    expect(again.folderTrust.get('/a/sub')).toEqual({ isTrusted: false, isAsked: false })
    again.folderTrust.set('/a', false, 2)
    expect(again.folderTrust.get('/a')).toEqual({ isTrusted: false, isAsked: true })
    again.close()
  })
})

import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openSession } from '../../../../../tests/fakes/window-host/open-window.ts'
import type { AuditEntry } from '../../../../shared/domain/session/consent-rule.ts'

function entryOf(seq: number): AuditEntry {
  return {
    seq,
    at: seq,
    sessionId: 'session-1',
    tool: 'edit',
    subject: `file-${seq}`,
    risk: 'low',
    verdict: 'approved',
    record: null,
    reason: null,
  }
}

/** Entries with these numbers, newest first. */
const entriesOf = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => entryOf(from - at))

async function openLog() {
  const host = new FakeHost()
  host.sessions.add()
  const { store } = await openSession({ host, sessionId: 'session-1' })
  const seqs = () => store.getState().audit.entries?.map((entry) => entry.seq)
  return { host, audit: () => store.getState().audit, seqs, store }
}

describe('the audit log', () => {
  it('asks for what stands before the last entry that is there', async () => {
    const { host, audit, seqs } = await openLog()
    host.sessions.audit = entriesOf(9, 7)
    await audit().load()
    host.sessions.audit = entriesOf(6, 5)
    await audit().loadMore()
    expect(seqs()).toEqual([9, 8, 7, 6, 5])
    expect(host.calls.findLast((call) => call.method === 'session.audit')?.input).toMatchObject({ before: 7 })
  })

  it('keeps older pages where newer entries join them, and drops them where they do not', async () => {
    const { host, audit, seqs } = await openLog()
    host.sessions.audit = entriesOf(9, 5)
    await audit().load()
    host.sessions.audit = entriesOf(11, 8)
    await audit().load()
    expect(seqs()).toEqual([11, 10, 9, 8, 7, 6, 5])
    host.sessions.audit = entriesOf(40, 38)
    await audit().load()
    expect(seqs()).toEqual([40, 39, 38])
  })

  it('shows nothing of a session that was left', async () => {
    const { host, audit, seqs } = await openLog()
    host.sessions.audit = entriesOf(3, 1)
    const loading = audit().load()
    audit().clear()
    await loading
    expect(seqs()).toBeUndefined()
    expect(audit().isLoading).toBe(false)
  })

  it('asks nothing where no session is open', async () => {
    const { host, audit, store } = await openLog()
    store.getState().conversation.close()
    await audit().load()
    expect(audit()).toMatchObject({ entries: null, isLoading: false })
    expect(host.calls.some((call) => call.method === 'session.audit')).toBe(false)
  })
})

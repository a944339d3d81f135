import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../shared/domain/audit-entry.ts'
import { foundEntries } from './audit-filter.ts'

function entryOf(seq: number, change: Partial<AuditEntry>): AuditEntry {
  return {
    seq,
    at: 0,
    sessionId: 'session-1',
    tool: 'run_command',
    subject: 'npm test',
    risk: 'low',
    verdict: 'approved',
    record: null,
    reason: null,
    ...change,
  }
}

const entries = [
  entryOf(3, { subject: 'npm install left-pad', verdict: 'denied', reason: '規則' }),
  entryOf(2, { tool: 'edit', subject: 'src/Date.ts' }),
  entryOf(1, {}),
]
const found = (text: string, verdict: Parameters<typeof foundEntries>[2] = 'all') =>
  foundEntries(entries, text, verdict).map((entry) => entry.seq)

describe('the filter of the audit log', () => {
  it('finds every word, in any order, whatever its case and width', () => {
    expect(found('')).toEqual([3, 2, 1])
    expect(found('ＤＡＴＥ')).toEqual([2])
    expect(found('install npm')).toEqual([3])
    expect(found('規則')).toEqual([3])
    expect(found('rm')).toEqual([])
  })

  it('keeps to a verdict', () => {
    expect(found('', 'approved')).toEqual([2, 1])
    expect(found('npm', 'approved')).toEqual([1])
  })
})

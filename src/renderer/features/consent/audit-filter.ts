import type { AuditEntry } from '../../../shared/domain/audit-entry.ts'

export type AuditVerdict = AuditEntry['verdict']

export const auditVerdicts: readonly AuditVerdict[] = [
  'granted',
  'approved',
  'refused',
  'denied',
  'void',
  'withdrawn',
]

/** The entries of a verdict in which every word of a text is found, in the command, the file or the reason. */
export function foundEntries(
  entries: readonly AuditEntry[],
  text: string,
  verdict: AuditVerdict | 'all',
): AuditEntry[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return entries.filter((entry) => {
    if (verdict !== 'all' && entry.verdict !== verdict) return false
    const said = fold(`${entry.subject} ${entry.tool} ${entry.reason ?? ''} ${entry.record?.name ?? ''}`)
    return words.every((word) => said.includes(word))
  })
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

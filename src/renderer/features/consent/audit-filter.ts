import type { AuditEntry } from '../../../shared/domain/session/audit-entry.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import { byText, subjectText } from './audit-words.ts'

export type AuditVerdict = AuditEntry['verdict']

export const auditVerdicts: readonly AuditVerdict[] = [
  'granted',
  'approved',
  'refused',
  'denied',
  'void',
  'withdrawn',
]

/** Returns the entries of a verdict whose shown text contains every word of `text`. */
export function foundEntries(
  entries: readonly AuditEntry[],
  text: string,
  verdict: AuditVerdict | 'all',
  t: Translate,
): AuditEntry[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return entries.filter((entry) => {
    if (verdict !== 'all' && entry.verdict !== verdict) return false
    const by = entry.record === null ? '' : byText(t, entry.record)
    const said = fold([subjectText(t, entry), t(`tool.${entry.tool}`), entry.reason ?? '', by].join(' '))
    return words.every((word) => said.includes(word))
  })
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

import { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import type { AuditEntry } from '../../../shared/domain/session/consent-rule.ts'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'

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

/** The host's names for standing consent: `gates/judge.ts`, `speculation/speculation-consent.ts` of `src/main`. */
const standing: Record<string, MessageKey> = {
  scope: 'audit.by.scope',
  'own-command': 'audit.by.ownCommand',
  'read-only': 'audit.by.readOnly',
  overlay: 'audit.by.overlay',
  sandbox: 'audit.by.sandbox',
}

export function byText(t: Translate, { by, name }: NonNullable<AuditEntry['record']>): string {
  if (by === 'user') return t('audit.by.user')
  const key = standing[name ?? '']
  if (key !== undefined) return t(key)
  const mode = by === 'mode' ? AgentMode.safeParse(name).data : undefined
  return t(`audit.by.${by}`, { name: mode === undefined ? (name ?? '') : t(`session.mode.${mode}`) })
}

/** Returns what a decision was about. The path of the folder itself says nothing, so it gets a label. */
export function subjectText(t: Translate, { subject }: AuditEntry): string {
  return subject === '' || subject === '.' ? t('audit.folder') : subject
}

import { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import type { AuditEntry } from '../../../shared/domain/session/audit-entry.ts'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'

/**
 * Consent that stands by itself, by the host's names for it.
 *
 * Source: `src/main/gates/judge.ts`, `src/main/gates/sandboxable.ts`, `src/main/speculation/speculation-consent.ts`.
 */
const standing: Record<string, MessageKey> = {
  scope: 'audit.by.scope',
  'own-command': 'audit.by.ownCommand',
  'read-only': 'audit.by.readOnly',
  overlay: 'audit.by.overlay',
  sandbox: 'audit.by.sandbox',
}

/** Returns who or what let a call pass. */
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

import type { DecisionRecord } from '../../shared/domain/session/agent-consent.ts'
import type { AuditEntry } from '../../shared/domain/session/consent-rule.ts'
import type { GateCall } from '../../shared/domain/session/gate.ts'
import type { Clock } from '../deps.ts'
import type { AuditRepository } from '../store/sessions/audit-repository.ts'

/** The subject of a decision. */
export type AuditSubject = Pick<AuditEntry, 'tool' | 'subject' | 'risk'>

export type AuditLog = ReturnType<typeof createAuditLog>

/** Records each decision about consent when it is made. */
export function createAuditLog(deps: { clock: Clock; repository: Pick<AuditRepository, 'add'> }) {
  const { clock, repository } = deps
  return {
    passed(
      sessionId: string,
      subject: AuditSubject,
      verdict: 'granted' | 'approved',
      record: DecisionRecord,
    ): void {
      repository.add({ at: clock.now(), sessionId, ...subject, verdict, record, reason: null })
    },
    stopped(
      sessionId: string,
      subject: AuditSubject,
      verdict: 'refused' | 'denied' | 'void' | 'withdrawn',
      reason: string | null,
    ): void {
      repository.add({ at: clock.now(), sessionId, ...subject, verdict, record: null, reason })
    },
  }
}

/** Returns the audit log's subject for a call as the gate showed it. */
export function auditSubject(view: Pick<GateCall, 'tool' | 'risk'>, subject: string): AuditSubject {
  return { tool: view.tool, subject, risk: view.risk.level }
}

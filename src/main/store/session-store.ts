import { createAuditRepository } from './sessions/audit-repository.ts'
import { createConsentRuleRepository } from './sessions/consent-rule-repository.ts'
import { createSessionRepository } from './sessions/session-repository.ts'
import { createSpeculationRepository } from './sessions/speculation-repository.ts'
import { createSuggestionRepository } from './sessions/suggestion-repository.ts'
import { createUnsentRepository } from './sessions/unsent-repository.ts'
import type { Store, StoreParts } from './store.ts'

/** The repositories of sessions and of what belongs to them. */
export type SessionStore = ReturnType<typeof createSessionStore>

/** A store whose repositories of sessions are loaded. */
export type WholeStore = Omit<Store, 'sessionStore'> & SessionStore

export function createSessionStore({ db, random, read, named }: StoreParts) {
  return {
    audit: named(createAuditRepository(db, read)),
    consentRules: named(createConsentRuleRepository(db, random, read)),
    sessions: named(createSessionRepository(db, read)),
    suggestions: named(createSuggestionRepository(db, read)),
    unsentMessages: named(createUnsentRepository(db, read)),
    speculations: named(createSpeculationRepository(db, read)),
  }
}

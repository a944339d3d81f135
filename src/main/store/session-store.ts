import { createAuditRepository } from './audit-repository.ts'
import { createConsentRuleRepository } from './consent-rule-repository.ts'
import { createSessionRepository } from './session-repository.ts'
import { createSpeculationRepository } from './speculation-repository.ts'
import type { Store, StoreParts } from './store.ts'
import { createSuggestionRepository } from './suggestion-repository.ts'
import { createUnsentRepository } from './unsent-repository.ts'

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

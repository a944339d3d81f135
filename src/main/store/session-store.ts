import { type AuditRepository, createAuditRepository } from './audit-repository.ts'
import { type ConsentRuleRepository, createConsentRuleRepository } from './consent-rule-repository.ts'
import { createSessionRepository, type SessionRepository } from './session-repository.ts'
import { createSpeculationRepository, type SpeculationRepository } from './speculation-repository.ts'
import type { Store, StoreParts } from './store.ts'
import { createSuggestionRepository, type SuggestionRepository } from './suggestion-repository.ts'
import { createUnsentRepository, type UnsentRepository } from './unsent-repository.ts'

/** The repositories of sessions and of what belongs to them. */
export type SessionStore = {
  audit: AuditRepository
  consentRules: ConsentRuleRepository
  sessions: SessionRepository
  suggestions: SuggestionRepository
  unsentMessages: UnsentRepository
  speculations: SpeculationRepository
}

/** A store whose repositories of sessions are loaded. */
export type WholeStore = Omit<Store, 'sessionStore'> & SessionStore

export function createSessionStore({ db, random, read, named }: StoreParts): SessionStore {
  return {
    audit: named(createAuditRepository(db, read)),
    consentRules: named(createConsentRuleRepository(db, random, read)),
    sessions: named(createSessionRepository(db, read)),
    suggestions: named(createSuggestionRepository(db, read)),
    unsentMessages: named(createUnsentRepository(db, read)),
    speculations: named(createSpeculationRepository(db, read)),
  }
}

import type { Clock, Random } from '../deps.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { type AuditRepository, createAuditRepository } from './audit-repository.ts'
import { type ChangeSetRepository, createChangeSetRepository } from './change-set-repository.ts'
import { type ConsentRuleRepository, createConsentRuleRepository } from './consent-rule-repository.ts'
import { closeDatabase, isDiskFull, openDatabase } from './database.ts'
import { createFolderTrustRepository, type FolderTrustRepository } from './folder-trust-repository.ts'
import { createHistoryRepository, type HistoryRepository } from './history-repository.ts'
import { createProfileRepository, type ProfileRepository } from './profile-repository.ts'
import { createRunRepository, type RunRepository } from './run-repository.ts'
import { createSessionRepository, type SessionRepository } from './session-repository.ts'
import { createSettingRepository, type SettingRepository } from './setting-repository.ts'
import { createSpeculationRepository, type SpeculationRepository } from './speculation-repository.ts'
import { createRowReaders, type DamagedRow } from './stored-rows.ts'
import { createSuggestionRepository, type SuggestionRepository } from './suggestion-repository.ts'
import { createTakeRepository, type TakeRepository } from './take-repository.ts'
import { createTextChunks } from './text-chunks.ts'
import { createUnsavedRepository, type UnsavedRepository } from './unsaved-repository.ts'
import { createUnsentRepository, type UnsentRepository } from './unsent-repository.ts'
import { createWorkRepository, type WorkRepository } from './work-repository.ts'

/** What the host remembers: one repository for each noun over one SQLite file. */
export type Store = {
  settings: SettingRepository
  profiles: ProfileRepository
  works: WorkRepository
  runs: RunRepository
  takes: TakeRepository
  history: HistoryRepository
  unsaved: UnsavedRepository
  changeSets: ChangeSetRepository
  audit: AuditRepository
  consentRules: ConsentRuleRepository
  folderTrust: FolderTrustRepository
  sessions: SessionRepository
  suggestions: SuggestionRepository
  unsentMessages: UnsentRepository
  speculations: SpeculationRepository
  close(): void
}

/**
 * Errors: as `openDatabase`; a damaged or newer file is left as it is. Every repository fails with
 * `file/disk-full` where there is no room to write. A row that cannot be read is passed over, left as it is, and told of
 * once (`onDamaged`); rules of consent are not passed over.
 */
export function openStore(
  path: string,
  deps: { clock: Clock; random: Random; onDamaged?: (damaged: DamagedRow) => void },
): Store {
  const db = openDatabase(path)
  const read = createRowReaders(deps.onDamaged)
  const chunks = createTextChunks(db)
  const runs = createRunRepository(db, deps.clock, read)
  const named = <R extends object>(repository: R): R => namingFullDisk(repository, path)
  return {
    settings: named(createSettingRepository(db, read)),
    profiles: named(createProfileRepository(db, read)),
    works: named(createWorkRepository(db, deps.random, read)),
    runs: named(runs),
    takes: named(createTakeRepository(db, chunks, read)),
    history: named(createHistoryRepository(db, chunks, deps.random, read)),
    unsaved: named(createUnsavedRepository(db, read)),
    changeSets: named(createChangeSetRepository(db, read)),
    audit: named(createAuditRepository(db, read)),
    consentRules: named(createConsentRuleRepository(db, deps.random, read)),
    folderTrust: named(createFolderTrustRepository(db)),
    sessions: named(createSessionRepository(db, read)),
    suggestions: named(createSuggestionRepository(db, read)),
    unsentMessages: named(createUnsentRepository(db, read)),
    speculations: named(createSpeculationRepository(db, read)),
    close() {
      runs.flush()
      closeDatabase(db)
    },
  }
}

/** The repository, whose methods say in our words that the disk of the database is full. */
function namingFullDisk<R extends object>(repository: R, path: string): R {
  const methods = Object.entries(repository).map(
    ([name, method]: [string, (...args: never[]) => unknown]) => [
      name,
      (...args: never[]) => {
        try {
          return method(...args)
        } catch (error) {
          throw isDiskFull(error) ? toFileError(error, path) : error
        }
      },
    ],
  )
  // Entry by entry this is the repository again.
  return Object.fromEntries(methods) as R
}

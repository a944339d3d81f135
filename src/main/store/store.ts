import type { Clock, Random } from '../deps.ts'
import { type ChangeSetRepository, createChangeSetRepository } from './change-set-repository.ts'
import { closeDatabase, openDatabase } from './database.ts'
import { createHistoryRepository, type HistoryRepository } from './history-repository.ts'
import { createProfileRepository, type ProfileRepository } from './profile-repository.ts'
import { createRunRepository, type RunRepository } from './run-repository.ts'
import { createSettingRepository, type SettingRepository } from './setting-repository.ts'
import { createTakeRepository, type TakeRepository } from './take-repository.ts'
import { createTextChunks } from './text-chunks.ts'
import { createUnsavedRepository, type UnsavedRepository } from './unsaved-repository.ts'
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
  close(): void
}

/** Errors: as `openDatabase`; a damaged or newer file is left as it is. */
export function openStore(path: string, deps: { clock: Clock; random: Random }): Store {
  const db = openDatabase(path)
  const chunks = createTextChunks(db)
  const runs = createRunRepository(db, deps.clock)
  return {
    settings: createSettingRepository(db),
    profiles: createProfileRepository(db),
    works: createWorkRepository(db, deps.random),
    runs,
    takes: createTakeRepository(db, chunks),
    history: createHistoryRepository(db, chunks, deps.random),
    unsaved: createUnsavedRepository(db),
    changeSets: createChangeSetRepository(db),
    close() {
      runs.flush()
      closeDatabase(db)
    },
  }
}

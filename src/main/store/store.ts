import type { Clock, Random } from '../deps.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { createProfileRepository } from './app/profile-repository.ts'
import { createRunRepository } from './app/run-repository.ts'
import { createSettingRepository } from './app/setting-repository.ts'
import { closeDatabase, type Db, isDiskFull, openDatabase } from './database/database.ts'
import { createRowReaders, type DamagedRow } from './database/stored-rows.ts'
import { createTextChunks } from './database/text-chunks.ts'
import type { SessionStore } from './session-store.ts'
import { createChangeSetRepository } from './works/change-set-repository.ts'
import { createFolderTrustRepository } from './works/folder-trust-repository.ts'
import { createHistoryRepository } from './works/history-repository.ts'
import { createTakeRepository } from './works/take-repository.ts'
import { createUnsavedRepository } from './works/unsaved-repository.ts'
import { createWorkRepository } from './works/work-repository.ts'

/** The stored data of the host: one repository for each noun, over one SQLite file. */
export type Store = ReturnType<typeof createStore>

/** Parts of repositories. `named` makes their methods throw our own error where the disk is full. */
export type StoreParts = {
  db: Db
  random: Random
  read: ReturnType<typeof createRowReaders>
  named<R extends object>(repository: R): R
}

type StoreDeps = { clock: Clock; random: Random; onDamaged?: (damaged: DamagedRow) => void }

/**
 * Errors: as `openDatabase`; a damaged or newer file is left as it is. Every repository fails with
 * `file/disk-full` where there is no room to write. A row that cannot be read is skipped, left as it is, and reported
 * once (`onDamaged`); rules of consent are not skipped.
 */
export function openStore(path: string, deps: StoreDeps): Store {
  return createStore(openStoreParts(path, deps), deps.clock)
}

/** Errors: as `openDatabase`. */
export function openStoreParts(path: string, { random, onDamaged }: StoreDeps): StoreParts {
  return {
    db: openDatabase(path),
    random,
    read: createRowReaders(onDamaged),
    named: (repository) => namingFullDisk(repository, path),
  }
}

export function createStore(parts: StoreParts, clock: Clock) {
  const { db, random, read, named } = parts
  const chunks = createTextChunks(db)
  const runs = createRunRepository(db, clock, read)
  let sessions: SessionStore | undefined
  return {
    settings: named(createSettingRepository(db, read)),
    profiles: named(createProfileRepository(db, read)),
    works: named(createWorkRepository(db, random, read)),
    runs: named(runs),
    takes: named(createTakeRepository(db, chunks, read)),
    history: named(createHistoryRepository(db, chunks, random, read)),
    unsaved: named(createUnsavedRepository(db, read)),
    changeSets: named(createChangeSetRepository(db, read)),
    folderTrust: named(createFolderTrustRepository(db)),
    /** Loads the repositories of sessions on first use: their schemas would make each start a tenth slower. */
    async sessionStore(): Promise<SessionStore> {
      const { createSessionStore } = await import('./session-store.ts')
      sessions ??= createSessionStore(parts)
      return sessions
    },
    close(): void {
      runs.flush()
      closeDatabase(db)
    },
  }
}

/** Returns the repository with methods that throw our own error where the disk of the database is full. */
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

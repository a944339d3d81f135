import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './platform/files/disk.ts'
import type { SessionGroup } from './session-group.ts'
import type { SessionPartsInput } from './session-parts.ts'
import type { UnsentMessages } from './sessions/unsent-messages.ts'
import type { Store } from './store/store.ts'
import type { AppliedChangeSet } from './workspace/apply-change-set.ts'

/** Sessions and what belongs to them, loaded when something first needs them. */
export type LateSessions = {
  /** Loads the sessions. Errors: those of a broken installation; the next call tries again. */
  load(): Promise<SessionGroup>
  /** Errors: as `load`. */
  unsent(): Promise<UnsentMessages>
  /** Notes in their sessions which files were left alone when this start carried out committed change sets. */
  noteLeftFiles(carriedOut: readonly AppliedChangeSet[]): Promise<void>
  /** Loads the sessions where a killed host has left something that loading removes. */
  removeLeftovers(): Promise<void>
  /** Closes the sessions, also those that are being loaded. */
  close(): Promise<void>
}

/**
 * Folders in which hosts can have left something: a killed host its notes of running commands and the files of
 * speculations; any host images that nothing may name any more.
 */
const leftoverFolders = ['commands', 'overlays', 'images']

export function createLateSessions(
  input: Omit<SessionPartsInput, 'store' | 'unsent'> & { store: Store },
): LateSessions {
  const { clock, random } = input.deps
  let loading: Promise<SessionGroup> | undefined
  let unsent: UnsentMessages | undefined

  async function loadUnsent(): Promise<UnsentMessages> {
    const [{ createUnsentMessages }, { unsentMessages }] = await Promise.all([
      import('./sessions/unsent-messages.ts'),
      input.store.sessionStore(),
    ])
    unsent ??= createUnsentMessages({ clock, repository: unsentMessages })
    return unsent
  }

  async function make(): Promise<SessionGroup> {
    const [{ createSessionGroup }, sessionStore, unsentMessages] = await Promise.all([
      import('./session-group.ts'),
      input.store.sessionStore(),
      loadUnsent(),
    ])
    const store = { ...input.store, ...sessionStore }
    return createSessionGroup({ ...input, store, unsent: unsentMessages })
  }

  function load(): Promise<SessionGroup> {
    loading ??= make().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    load,
    unsent: loadUnsent,
    async noteLeftFiles(carriedOut) {
      if (carriedOut.every(({ conflicts }) => conflicts.length === 0)) return
      const [{ noteLeftFiles }, { sessions }] = await Promise.all([
        import('./sessions/left-files.ts'),
        input.store.sessionStore(),
      ])
      noteLeftFiles({ clock, random, repository: sessions }, carriedOut)
    },
    async removeLeftovers() {
      const { dataDir } = input.deps
      const names = await Promise.all(leftoverFolders.map((name) => namesIn(join(dataDir, name))))
      if (names.flat().length > 0) await (await load()).removeLeftovers()
    },
    async close() {
      // A failure to load was reported to the caller of `load`.
      const group = await loading?.catch(() => undefined)
      await group?.close()
      unsent?.close()
    },
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
